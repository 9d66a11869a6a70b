import { useAccounts } from '../data/account-and-clock.ts';
import { useFilter } from '../data/addresses.ts';
import { callControl } from '../data/call-api.ts';
import { type EffectKind, useEffects } from '../data/holds.ts';
import { Drawer, type DrawerOf } from '../pieces/drawer.tsx';
import { effectOf, FieldsForm, fieldsOfEffect } from '../pieces/form.tsx';
import type { Draft, FieldSpec } from '../pieces/form-field.tsx';
import { Section, showToast } from '../pieces/page-parts.tsx';
import { JsonView } from '../pieces/values.tsx';

/** Used instead of an effect: a matching message waits until the user decides. */
const HOLD = 'hold';

const FIRST_KIND = 'status';

/** What acts until its rule is removed. */
const OF_LIES = ['lie', 'liberty'];

export const SCOPES = [
  ['all', 'All accounts'],
  ['mine', 'This account'],
] as const;

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
    ...(chance && chance !== '100' && { probability: Number(chance) / 100 }),
    ...(life && { ttl_seconds: Number(life) }),
  };
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
    ['contains', 'Text contains', 'lighthouse'],
  ].map(([name = '', label = '', example = '']) => ({
    ...{
      name,
      label: `${label} (optional)`,
      type: 'text' as const,
      isOptional: true,
      placeholder: `e.g. ${example}`,
      section: TO,
    },
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
function fieldsOf(kinds: readonly EffectKind[], { kind: name = FIRST_KIND, 'lie.lie': lie = '' }: Draft): FieldSpec[] {
  const kind = kinds.find((each) => each.kind === name);
  const names = [...kinds.map((each) => [each.kind, each.text]), [HOLD, 'Hold it until I decide']];
  const effect: FieldSpec = { name: 'kind', label: 'Effect', type: 'options', options: names, value: name };
  const own = kind ? fieldsOfEffect(kind) : name === HOLD ? [POINT] : [];
  const isAsked = (field: FieldSpec) => field.name !== 'lie.field' || lie.startsWith('field.');
  const what = [effect, ...own.filter(isAsked)].map((field) => ({ ...field, section: 'What it does' }));
  if (!OF_LIES.includes(name)) return [...what, ...MATCH, TIMES, ...(name === HOLD ? [] : CHANCE)];
  // What lies is the answer, whatever the request says, and always.
  const match = MATCH.filter((field) => field.name !== 'contains');
  return [...what, ...match, { ...TIMES, value: '0' }, ...CHANCE.filter((field) => field.name !== 'chance')];
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
