import { Repeat } from 'lucide-react';
import { Link } from 'wouter';
import { callControl } from '../data/call-api.ts';
import { at } from '../data/paths.ts';
import { Act } from '../pieces/act.tsx';
import { formatNumber } from '../pieces/credits.tsx';
import { IdChip } from '../pieces/id-chip.tsx';
import { JsonView } from '../pieces/json-view.tsx';
import { Section } from '../pieces/page-head.tsx';
import { RecordDrawer } from '../pieces/record-drawer.tsx';
import { ExactMoment, RelativeTime } from '../pieces/relative-time.tsx';
import { RuleState } from './fault-list.tsx';
import type { Rule } from './fault-records.ts';
import { matchText, strikesText } from './fault-text.ts';
import { useRules } from './use-rules.ts';

/** One rule: what it does, to whom, and how often it did. */
export function FaultDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { rules, error, isPending } = useRules();
  return (
    <RecordDrawer
      {...{ label: 'Fault rule', id, error, onClose }}
      record={rules.find((each) => each.id === id)}
      gone={!isPending && 'This rule was removed.'}
      title={({ says }) => says}
      tools={(rule) => <RuleTools rule={rule} onGone={onClose} />}
      facts={factsOf}
    >
      {({ order }) => (
        <Section title="As it is ordered">
          <JsonView value={order} label="Fault rule" />
        </Section>
      )}
    </RecordDrawer>
  );
}

function RuleTools({ rule: { id, path, order }, onGone }: { rule: Rule; onGone: () => void }) {
  const isFault = path === '/faults';
  return (
    <>
      <Act
        text="Arm again"
        icon={Repeat}
        act={() => callControl('POST', path, order)}
        said={['A new rule like this one is armed']}
      />
      <Act text="Remove" act={() => callControl('DELETE', `${path}/${id}`)} done={onGone} />
      <Link className="button" href={`${at.live()}${isFault ? `?q=${id}` : ''}`}>
        {isFault ? 'Requests it struck' : 'What waits'}
      </Link>
    </>
  );
}

function factsOf(rule: Rule) {
  const { id, match, probability, created, expires } = rule;
  return {
    Rule: <IdChip id={id} />,
    State: <RuleState rule={rule} />,
    Strikes: strikesText(rule),
    To: matchText({ ...match, account_id: undefined } as typeof match),
    Account: match.account_id && <IdChip id={match.account_id} />,
    Chance: probability === 1 ? null : `${formatNumber(probability * 100)} % of such requests`,
    Made: <ExactMoment at={created} />,
    Ends: expires === null ? null : <RelativeTime at={expires} />,
  };
}
