import { Repeat, ShieldCheck, X } from 'lucide-react';
import { useMemo } from 'react';
import { useAccounts, useSecond } from '../data/account-and-clock.ts';
import { at } from '../data/addresses.ts';
import { callControl, recordSource } from '../data/call-api.ts';
import { useLocalSearch } from '../data/queries.ts';
import { ActionButton } from '../pieces/action-button.tsx';
import { agoColumn, type Column, column, textColumn } from '../pieces/data-list.tsx';
import { type DrawerOf, RecordDrawer } from '../pieces/drawer.tsx';
import { LinkButton, Section } from '../pieces/page-parts.tsx';
import { type OpenRow, RecordList } from '../pieces/record-list.tsx';
import { Badge, formatNumber, IdChip, JsonView, RelativeTime, type Tone } from '../pieces/values.tsx';
import { FaultPresets, matchText, type Rule, stateOf, strikesText, useRules } from './rules.tsx';

const NONE = {
  ...{ icon: ShieldCheck, title: 'No fault rules' },
  description: 'Add one of the rules above, or your own, to see how your app copes.',
};

/** Every rule with how often it struck, and what holds, newest first. */
export function FaultList(opening: OpenRow) {
  const { account } = useAccounts();
  const { rules, ...query } = useRules();
  const found = useLocalSearch(rules, query);
  const columns = useMemo(() => columnsFor(account?.id), [account?.id]);
  return (
    <>
      <FaultPresets account={account} />
      <RecordList
        {...{ label: 'Fault rules', search: 'Search rules', columns, toneOf: toneOfRule, none: NONE, found }}
        {...opening}
      />
    </>
  );
}

function toneOfRule({ lie, count }: Rule): Tone | undefined {
  if (count.done === 0) return undefined;
  return lie === undefined ? 'wait' : 'bad';
}

function columnsFor(accountId: string | undefined): readonly Column<Rule>[] {
  const columns: readonly Column<Rule>[] = [
    column('State', '80px', (rule) => <RuleState rule={rule} />, { line: 1 }),
    textColumn('What it does', 'minmax(180px, 3fr)', ({ says }) => says, { line: 1, grow: true }),
    textColumn('To', 'minmax(120px, 3fr)', ({ match }) => matchText(match, accountId), { line: 2, grow: true }),
    column('Struck', '88px', strikesText, { align: 'end', line: 2 }),
    column('Chance', '64px', chanceText, { align: 'end', wide: true }),
    agoColumn('Made', ({ created }) => created, { wide: true }),
    column('Remove', '56px', (rule) => <RemoveRule rule={rule} />, { line: 1 }),
  ];
  return recordSource.value ? columns.slice(0, -1) : columns;
}

function chanceText({ probability }: Rule): string {
  return `${Math.round(probability * 1000) / 10} %`;
}

function RuleState({ rule }: { rule: Rule }) {
  const { text, tone } = stateOf(rule, useSecond());
  return <Badge tone={tone}>{text}</Badge>;
}

function RemoveRule({ rule: { id, path } }: { rule: Rule }) {
  return (
    <ActionButton
      text={`Remove ${id}`}
      icon={X}
      variant="quiet"
      isSmall
      act={() => callControl('DELETE', `${path}/${id}`)}
    />
  );
}

/** One rule: what it does, to whom, and how often it did. */
export function FaultDrawer({ id, onClose }: DrawerOf) {
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

function RuleTools({ rule: { id, path, order, lie }, onGone }: { rule: Rule; onGone: () => void }) {
  const isFault = path === '/faults';
  return (
    <>
      <ActionButton
        text="Arm again"
        icon={Repeat}
        act={() => callControl('POST', path, order)}
        toast={['A new rule like this one is armed']}
      />
      <ActionButton text="Remove" act={() => callControl('DELETE', `${path}/${id}`)} onSuccess={onGone} />
      <LinkButton
        text={isFault ? 'Requests it struck' : 'What waits'}
        href={at.live() + (isFault ? `?q=${lie ?? id}` : '')}
      />
    </>
  );
}

function factsOf(rule: Rule) {
  const { id, match, probability, created, expires } = rule;
  return {
    Rule: <IdChip id={id} />,
    State: <RuleState rule={rule} />,
    Strikes: strikesText(rule),
    To: matchText({ ...match, account_id: undefined }),
    Account: match.account_id && <IdChip id={match.account_id} />,
    Chance: probability === 1 ? null : `${formatNumber(probability * 100)} % of such requests`,
    Made: <RelativeTime at={created} />,
    Ends: expires === null ? null : <RelativeTime at={expires} />,
  };
}
