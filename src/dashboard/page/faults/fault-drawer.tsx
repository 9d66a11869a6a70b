import { Repeat } from 'lucide-react';
import { Link } from 'wouter';
import { callControl } from '../data/call-api.ts';
import { at } from '../data/paths.ts';
import { useAct } from '../data/queries.ts';
import { Button } from '../pieces/button.tsx';
import { formatNumber } from '../pieces/credits.tsx';
import { Drawer } from '../pieces/drawer.tsx';
import { ErrorNotice, Notice } from '../pieces/error-notice.tsx';
import { IdChip } from '../pieces/id-chip.tsx';
import { JsonView } from '../pieces/json-view.tsx';
import { OfService } from '../pieces/of-service.tsx';
import { Facts, Section } from '../pieces/page-head.tsx';
import { exactTime, RelativeTime } from '../pieces/relative-time.tsx';
import { say, sayError } from '../pieces/toast.tsx';
import { RuleState } from './fault-list.tsx';
import type { Rule } from './fault-records.ts';
import { matchText, strikesText } from './fault-text.ts';
import { useRules } from './use-rules.ts';

/** One rule: what it does, to whom, and how often it did. */
export function FaultDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { rules, error, isPending } = useRules();
  const rule = rules.find((each) => each.id === id);
  return (
    <Drawer label="Fault rule" title={rule?.says ?? id} onClose={onClose}>
      <ErrorNotice error={error} />
      {!isPending && !rule && <Notice tone="plain">This rule was removed.</Notice>}
      {rule && <RuleContents rule={rule} onGone={onClose} />}
    </Drawer>
  );
}

function RuleContents({ rule, onGone }: { rule: Rule; onGone: () => void }) {
  return (
    <>
      <RuleTools rule={rule} onGone={onGone} />
      <Section title="Facts">
        <Facts facts={factsOf(rule)} />
      </Section>
      <Section title="As it is ordered">
        <JsonView value={rule.order} label="Fault rule" />
      </Section>
    </>
  );
}

function RuleTools({ rule, onGone }: { rule: Rule; onGone: () => void }) {
  const { id, path, order } = rule;
  const again = useAct(
    () => callControl('POST', path, order),
    () => say('A new rule like this one is armed'),
  );
  const remove = useAct(() => callControl('DELETE', `${path}/${id}`), onGone);
  const onError = sayError;
  return (
    <div className="rule-tools">
      <OfService>
        <Button
          icon={<Repeat aria-hidden />}
          disabled={again.isPending}
          onClick={() => again.mutate(undefined, { onError })}
        >
          Arm again
        </Button>
        <Button disabled={remove.isPending} onClick={() => remove.mutate(undefined, { onError })}>
          Remove
        </Button>
      </OfService>
      <Link className="button" href={`${at.live()}${path === '/faults' ? `?q=${id}` : ''}`}>
        {path === '/faults' ? 'Requests it struck' : 'What waits'}
      </Link>
    </div>
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
    Made: (
      <>
        <RelativeTime at={created} /> <span className="soft">{exactTime(created)}</span>
      </>
    ),
    Ends: expires === null ? null : <RelativeTime at={expires} />,
  };
}
