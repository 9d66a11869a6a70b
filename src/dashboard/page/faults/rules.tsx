import * as icons from 'lucide-react';
import { useMemo, useState } from 'react';
import { useAccounts } from '../data/account-and-clock.ts';
import { callControl } from '../data/call-api.ts';
import { type EffectKind, type Hold, useEffects } from '../data/holds.ts';
import { useList } from '../data/queries.ts';
import type { Account, Listed } from '../data/records.ts';
import { ActionButton } from '../pieces/action-button.tsx';
import { useFilter } from '../pieces/browser-hooks.ts';
import { LiveOnly } from '../pieces/button.tsx';
import { Drawer, type DrawerOf } from '../pieces/drawer.tsx';
import { effectOf, FieldsForm, fieldsOfEffect } from '../pieces/form.tsx';
import type { Draft, FieldSpec } from '../pieces/form-field.tsx';
import { Choices, Section, showToast } from '../pieces/page-parts.tsx';
import { formatNumber, JsonView, lengthOfTime, type Tone } from '../pieces/values.tsx';

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
  return { id, path: '/faults', order, match, says, count, probability, created, expires };
}

function ruleOfHold({ id, match, at, times, caught, held, created }: Hold): Rule {
  const waits = held.length === 0 ? '' : `, ${held.length} ${held.length === 1 ? 'waits' : 'wait'}`;
  return {
    ...{ id, path: '/holds', order: { match, at, times }, match, says: HOLDS[at] + waits },
    ...{ count: { done: caught, of: times }, probability: 1, created: Date.parse(created) / 1000, expires: null },
  };
}

export type { SavedSnapshot as SnapshotRecord } from '../../../control/snapshots.ts';

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
export function stateOf({ expires, count: { done, of } }: Rule, now: number): { text: string; tone: Tone } {
  if (of !== 0 && done >= of) return { text: 'used up', tone: 'plain' };
  if (expires !== null && expires <= now) return { text: 'expired', tone: 'plain' };
  if (expires !== null) return { text: `${lengthOfTime(expires - now)} left`, tone: 'wait' };
  return { text: 'armed', tone: 'wait' };
}

/** Used instead of an effect: a matching message waits until the user decides. */
const HOLD = 'hold';

/** What a draft orders, and of whom. */
function orderOf(
  draft: Draft,
  kinds: readonly EffectKind[],
  accountId: string | undefined,
): { path: '/faults' | '/holds'; order: object } {
  const { kind: name, at, times } = draft;
  const match = matchOf(draft, accountId);
  if (name === HOLD) return { path: '/holds', order: { match, at, times: Number(times) } };
  const kind = kinds.find((each) => each.kind === name);
  return { path: '/faults', order: faultOf(draft, match, kind ? effectOf(kind, draft) : {}) };
}

function matchOf({ path, method, model, contains, whose }: Draft, accountId: string | undefined): object {
  const account_id = whose === 'mine' ? accountId : undefined;
  const given = Object.entries({ path, method, model, contains, account_id });
  return Object.fromEntries(given.filter(([, value]) => value));
}

function faultOf({ times, chance, ttl_seconds: life }: Draft, match: object, effect: object): object {
  return {
    ...{ match, effect, times: Number(times) },
    ...(chance !== '100' && { probability: Number(chance) / 100 }),
    ...(life && { ttl_seconds: Number(life) }),
  };
}

const FIRST_KIND = 'status';

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

const SCOPES = [
  ['all', 'All accounts'],
  ['mine', 'This account'],
] as const;

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

const POINT: FieldSpec = {
  ...{ name: 'at', label: 'What waits', type: 'options', value: 'request' },
  options: [
    ['request', 'The request, before its work'],
    ['answer', 'The answer, after it'],
    ['delivery', 'The delivery, before it is sent'],
  ],
};

const TO = 'To which requests';
const MATCH: readonly FieldSpec[] = [
  ...[
    ['path', 'Path begins with', '/v1/images'],
    ['method', 'Method', 'POST'],
    ['model', 'Model', 'svc-rp-mini'],
    ['contains', 'A text contains', 'lighthouse'],
  ].map(([name = '', label = '', example = '']) => ({
    ...{ name, label, type: 'text' as const, isOptional: true, placeholder: `Any, or ${example}`, section: TO },
  })),
  { name: 'whose', label: 'Of whom', type: 'choices', options: SCOPES, value: 'all', section: TO },
];

const OFTEN = { type: 'number', section: 'How often' } as const;
const TIMES: FieldSpec = {
  ...OFTEN,
  name: 'times',
  label: 'Times',
  value: '1',
  max: 1_000_000,
  note: '0: until it is removed.',
};
const CHANCE: readonly FieldSpec[] = [
  { ...OFTEN, name: 'chance', label: 'Chance, in %', value: '100', min: 0.01, max: 100, step: 'any' },
  {
    ...{ ...OFTEN, name: 'ttl_seconds', label: 'Seconds to live', min: 1, isOptional: true },
    note: "By the emulator's clock.",
  },
];

/** The fields of a rule: those of its effect, whom it strikes, and how often. */
function fieldsOf(kinds: readonly EffectKind[], { kind: name }: Draft): FieldSpec[] {
  const kind = kinds.find((each) => each.kind === name);
  const names = [...kinds.map((each) => [each.kind, each.text]), [HOLD, 'Hold it until I decide']];
  const effect: FieldSpec = { name: 'kind', label: 'Effect', type: 'options', options: names, value: name };
  const own = kind ? fieldsOfEffect(kind) : name === HOLD ? [POINT] : [];
  const what = [effect, ...own].map((field) => ({ ...field, section: 'What it does' }));
  return [...what, ...MATCH, TIMES, ...(name === HOLD ? [] : CHANCE)];
}

/** A form for any rule, with the order that it makes. */
export function NewFaultDrawer({ onOpen, onClose }: DrawerOf) {
  const { account } = useAccounts();
  const kinds = useEffects();
  const [first] = useFilter('kind', FIRST_KIND);
  const made = ({ id }: { id: string }) => {
    showToast('The rule is armed');
    onOpen(id);
  };
  const send = (draft: Draft) => {
    const { path, order } = orderOf(draft, kinds, account?.id);
    return callControl<{ id: string }>('POST', path, order);
  };
  const preview = (draft: Draft) => {
    const { path, order } = orderOf(draft, kinds, account?.id);
    return (
      <Section title={`POST /_emulator${path}`}>
        <JsonView value={order} label="Order of the rule" />
      </Section>
    );
  };
  return (
    <Drawer label="New rule" title="New rule" onClose={onClose}>
      <FieldsForm
        {...{ send, onSuccess: made, after: preview, action: 'Make the rule' }}
        fields={(draft) => fieldsOf(kinds, { kind: first, ...draft })}
      />
    </Drawer>
  );
}
