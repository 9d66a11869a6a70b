import * as icons from 'lucide-react';
import { useState } from 'react';
import { callControl } from '../data/call-api.ts';
import { useAccounts } from '../data/chosen-account.ts';
import { type EffectKind, useEffects } from '../data/holds.ts';
import type { Account } from '../data/records.ts';
import { ActionButton } from '../pieces/action-button.tsx';
import { useFilter } from '../pieces/browser-hooks.ts';
import { LiveOnly } from '../pieces/button.tsx';
import { Drawer, type DrawerOf } from '../pieces/drawer.tsx';
import { FieldsForm, fieldsOfEffect } from '../pieces/form.tsx';
import type { Draft, FieldSpec } from '../pieces/form-field.tsx';
import { JsonView } from '../pieces/ids.tsx';
import { Choices, Section } from '../pieces/page-parts.tsx';
import { showToast } from '../pieces/toast.tsx';
import { HOLD, orderOf } from './rules.ts';

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
              said={['The rule is armed']}
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
        {...{ send, done: made, after: preview, action: 'Make the rule' }}
        fields={(draft) => fieldsOf(kinds, { kind: first, ...draft })}
      />
    </Drawer>
  );
}
