import * as icons from 'lucide-react';
import { useMemo, useState } from 'react';
import { callControl } from '../data/call-api.ts';
import { type Hold, useEffects } from '../data/holds.ts';
import { useList } from '../data/queries.ts';
import type { Account, Listed } from '../data/records.ts';
import { ActionButton } from '../pieces/action-button.tsx';
import { Choices, LiveOnly } from '../pieces/page-parts.tsx';
import { formatNumber, lengthOfTime, type Tone } from '../pieces/values.tsx';
import { SCOPES } from './new-rule.tsx';

type FaultRecord = Listed<'listFaults'>;
type FaultMatch = Partial<FaultRecord['match']>;

/** A row of the list: a fault rule, or a breakpoint in the same shape. Timestamps are unix seconds. */
export interface Rule {
  id: string;
  /** What the control surface lists it under, and how it was ordered. */
  path: '/faults' | '/holds';
  order: object;
  match: FaultMatch;
  says: string;
  /** The lie that it makes the service tell, which is shown in red; requests are found by its name. */
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
export function useRules(): { rules: Rule[]; error: Error | null; isPending: boolean } {
  const faults = useList<FaultRecord>('/faults');
  const holds = useList<Hold>('/holds');
  const rules = useMemo(
    () => [...(holds.data ?? []).map(ruleOfHold), ...(faults.data ?? []).map(ruleOfFault)],
    [holds.data, faults.data],
  );
  return { rules, error: faults.error ?? holds.error, isPending: faults.isPending || holds.isPending };
}

/** Which requests a rule means; `accountId` is whose page this is. */
export function matchText({ path, method, model, contains, take, nth, account_id }: FaultMatch, accountId?: string) {
  const whose = account_id === accountId ? 'this account' : account_id;
  const words = { 'the one numbered': nth, take, of: account_id && whose, with: contains && `“${contains}”` };
  const parts = Object.entries(words).map(([word, value]) => value && `${word} ${value}`);
  return [method, path, model, ...parts].filter(Boolean).join(' ') || 'every request';
}

/** `2 of 3`; `5, no end`. */
export function strikesText({ count: { done, of } }: Rule): string {
  return of === 0 ? `${formatNumber(done)}, no end` : `${done} of ${of}`;
}

/** What a rule still does. */
export function stateOf({ expires, lie, count: { done, of } }: Rule, now: number): { text: string; tone: Tone } {
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
export function FaultPresets({ account }: { account: Account | undefined }) {
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
