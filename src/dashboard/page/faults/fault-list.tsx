import * as icons from 'lucide-react';
import { Repeat, ShieldCheck, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useAccounts, useSecond } from '../data/account-and-clock.ts';
import { at } from '../data/addresses.ts';
import { callControl, recordSource } from '../data/call-api.ts';
import { type Hold, useEffects } from '../data/holds.ts';
import { useList, useLocalSearch } from '../data/queries.ts';
import type { Account, Listed } from '../data/records.ts';
import { ActionButton } from '../pieces/action-button.tsx';
import { agoColumn, type Column, column, textColumn } from '../pieces/data-list.tsx';
import { type DrawerOf, RecordDrawer } from '../pieces/drawer.tsx';
import { Choices, LinkButton, LiveOnly, Section } from '../pieces/page-parts.tsx';
import { type OpenRow, RecordList } from '../pieces/record-list.tsx';
import { Badge, formatNumber, IdChip, JsonView, lengthOfTime, RelativeTime, type Tone } from '../pieces/values.tsx';
import { SCOPES } from './new-rule.tsx';

const NONE = {
  ...{ icon: ShieldCheck, title: 'No fault rules' },
  description: 'Add one of the rules above, or your own, to see how your app copes.',
};

/** Every rule with how often it was used, and what holds, newest first. */
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
    column('Used', '88px', strikesText, { align: 'end', line: 2 }),
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
        text={isFault ? 'Requests it changed' : 'What waits'}
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

type FaultRecord = Listed<'listFaults'>;
type FaultMatch = Partial<FaultRecord['match']>;

/** A row of the list: a fault rule, or a breakpoint in the same shape. Timestamps are unix seconds. */
interface Rule {
  id: string;
  /** What the control surface lists it under, and how it was ordered. */
  path: '/faults' | '/holds';
  order: object;
  match: FaultMatch;
  says: string;
  /** The lie of the rule, which is shown in red; requests are found by its name. */
  lie: string | undefined;
  count: { done: number; of: number };
  probability: number;
  created: number;
  expires: number | null;
}

const HOLDS = { request: 'Holds the request', answer: 'Holds the answer', delivery: 'Holds the delivery' };

function ruleOfFault(rule: FaultRecord): Rule {
  const { id, match, effect, says, times, strikes, probability, ttl_seconds, created, expires } = rule;
  const order = { match, effect, times, probability, ...(ttl_seconds === null ? {} : { ttl_seconds }) };
  const count = { done: strikes, of: times };
  return { id, path: '/faults', order, match, says, lie: effect.lie, count, probability, created, expires };
}

function ruleOfHold({ id, match, at, times, caught, held, created }: Hold): Rule {
  const waits = held.length === 0 ? '' : `, ${held.length} ${held.length === 1 ? 'waits' : 'wait'}`;
  return {
    ...{ id, path: '/holds', order: { match, at, times }, match, says: HOLDS[at] + waits, lie: undefined },
    ...{ count: { done: caught, of: times }, probability: 1, created: Date.parse(created) / 1000, expires: null },
  };
}

/** Fault rules and breakpoints, breakpoints first, because messages may wait in them. */
function useRules(): { rules: Rule[]; error: Error | null; isPending: boolean } {
  const faults = useList<FaultRecord>('/faults');
  const holds = useList<Hold>('/holds');
  const rules = useMemo(
    () => [...(holds.data ?? []).map(ruleOfHold), ...(faults.data ?? []).map(ruleOfFault)],
    [holds.data, faults.data],
  );
  return { rules, error: faults.error ?? holds.error, isPending: faults.isPending || holds.isPending };
}

/** Which requests a rule means; `accountId` is whose page this is. */
function matchText({ path, method, model, contains, take, nth, account_id }: FaultMatch, accountId?: string) {
  const whose = account_id === accountId ? 'this account' : account_id;
  const words = { 'the one numbered': nth, take, of: account_id && whose, with: contains && `“${contains}”` };
  const parts = Object.entries(words).map(([word, value]) => value && `${word} ${value}`);
  return [method, path, model, ...parts].filter(Boolean).join(' ') || 'every request';
}

/** `2 of 3`; `5, no end`. */
function strikesText({ count: { done, of } }: Rule): string {
  return of === 0 ? `${formatNumber(done)}, no end` : `${done} of ${of}`;
}

/** What a rule still does. */
function stateOf({ expires, lie, count: { done, of } }: Rule, now: number): { text: string; tone: Tone } {
  if (of !== 0 && done >= of) return { text: 'used up', tone: 'plain' };
  if (expires !== null && expires <= now) return { text: 'expired', tone: 'plain' };
  const tone = lie === undefined ? 'wait' : 'bad';
  return { text: expires === null ? 'armed' : `${lengthOfTime(expires - now)} left`, tone };
}

/** By the kind of what they do. */
const ICONS: Record<string, icons.LucideIcon> = {
  status: icons.TrafficCone,
  delay_ms: icons.Hourglass,
  drop: icons.Unplug,
  fail_job: icons.OctagonX,
  job: icons.FastForward,
  stream: icons.Scissors,
  webhook: icons.CopyPlus,
  cdn: icons.FileX,
};

/** Rules that one click makes. */
function FaultPresets({ account }: { account: Account | undefined }) {
  const [scope, setScope] = useState('all');
  const whose = scope === 'mine' && account ? { account_id: account.id } : {};
  return (
    <LiveOnly>
      <div className="presets row wrap ruled padded fixed" role="group" aria-label="Rules that one click makes">
        {useEffects().flatMap(({ kind, presets }) =>
          presets.map(({ text, note, match, effect, times }) => (
            <ActionButton
              key={text}
              text={text}
              icon={ICONS[kind] ?? icons.ShieldAlert}
              title={note}
              act={() => callControl('POST', '/faults', { match: { ...match, ...whose }, effect, times })}
              toast={['The rule is armed']}
            />
          )),
        )}
        <span className="grow" />
        <Choices label="Whom they strike" value={scope} options={SCOPES} onChange={setScope} />
      </div>
    </LiveOnly>
  );
}
