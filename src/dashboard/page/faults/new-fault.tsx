import {
  CopyPlus,
  FastForward,
  FileX,
  Hourglass,
  type LucideIcon,
  OctagonX,
  Scissors,
  ShieldAlert,
  TrafficCone,
  Unplug,
} from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { callControl } from '../data/call-api.ts';
import { useEffects } from '../data/effects.ts';
import { useAct } from '../data/queries.ts';
import type { Account } from '../data/records.ts';
import { Act } from '../pieces/act.tsx';
import { Choices } from '../pieces/choices.tsx';
import { Drawer } from '../pieces/drawer.tsx';
import { fieldsOfEffect } from '../pieces/effect-draft.ts';
import { type Draft, type FieldSpec, FormFields } from '../pieces/form-fields.tsx';
import { JsonView } from '../pieces/ids.tsx';
import { Button, ErrorNotice, Section } from '../pieces/page-parts.tsx';
import { say } from '../pieces/toast.tsx';
import { HOLD, NEW_RULE, orderOf } from './fault-rules.ts';

/** By the kind of what they do. */
const ICONS: Record<string, LucideIcon> = {
  status: TrafficCone,
  delay_ms: Hourglass,
  drop: Unplug,
  fail_job: OctagonX,
  job: FastForward,
  stream: Scissors,
  webhook: CopyPlus,
  cdn: FileX,
};

const SCOPES = [
  ['all', 'Every account'],
  ['mine', 'This account'],
] as const;

/** Rules that one click makes. */
export function FaultPresets({ account }: { account: Account | undefined }) {
  const [scope, setScope] = useState('all');
  const whose = scope === 'mine' && account ? { account_id: account.id } : {};
  return (
    <div className="presets row wrap ruled padded fixed" role="group" aria-label="Rules that one click makes">
      {useEffects().flatMap(({ kind, presets }) =>
        presets.map(({ text, note, match, effect, times }) => (
          <Act
            key={text}
            text={text}
            icon={ICONS[kind] ?? ShieldAlert}
            title={note}
            act={() => callControl('POST', '/faults', { match: { ...match, ...whose }, effect, times })}
            said={['The rule is armed']}
          />
        )),
      )}
      <span className="grow" />
      <Choices label="Whom they strike" value={scope} options={SCOPES} onChange={setScope} />
    </div>
  );
}

const POINT: FieldSpec = {
  ...{ name: 'at', label: 'What waits', type: 'options' },
  options: [
    ['request', 'The request, before its work'],
    ['answer', 'The answer, after it'],
    ['delivery', 'The delivery, before it is sent'],
  ],
};

const MATCH: readonly FieldSpec[] = [
  ...[
    ['path', 'Path begins with', '/v1/images'],
    ['method', 'Method', 'POST'],
    ['model', 'Model', 'svc-rp-mini'],
    ['contains', 'A text contains', 'lighthouse'],
  ].map(([name = '', label = '', example = '']) => ({
    ...{ name, label, type: 'text' as const, isOptional: true, placeholder: `Any, or ${example}` },
  })),
  {
    ...{ name: 'whose', label: 'Of whom', type: 'choices' },
    options: [
      ['all', 'Every account'],
      ['mine', 'This account'],
    ],
  },
];

const TIMES: FieldSpec = {
  ...{ name: 'times', label: 'Times', type: 'number', note: '0: until it is removed.', max: 1_000_000 },
};
const CHANCE: readonly FieldSpec[] = [
  { name: 'chance', label: 'Chance, in %', type: 'number', min: 0.01, max: 100, step: 'any' },
  {
    ...{ name: 'ttl_seconds', label: 'Seconds to live', type: 'number', min: 1, isOptional: true },
    note: "By the emulator's clock.",
  },
];

interface NewFaultDrawerProps {
  account: Account | undefined;
  onMade: (id: string) => void;
  onClose: () => void;
}

/** A form for any rule, with the order that it makes. */
export function NewFaultDrawer({ account, onMade, onClose }: NewFaultDrawerProps) {
  const kinds = useEffects();
  const [draft, onChange] = useState<Draft>(NEW_RULE);
  const { path, order } = orderOf(draft, kinds, account?.id);
  const make = useAct(
    () => callControl<{ id: string }>('POST', path, order),
    ({ id }) => {
      say('The rule is armed');
      onMade(id);
    },
  );
  const send = (event: FormEvent) => {
    event.preventDefault();
    make.mutate(undefined);
  };
  const kind = kinds.find((each) => each.kind === draft.kind);
  const names = [...kinds.map((each) => [each.kind, each.text]), [HOLD, 'Hold it until I decide']];
  const effect: FieldSpec = { name: 'kind', label: 'Effect', type: 'options', options: names };
  const own = kind ? fieldsOfEffect(kind) : draft.kind === HOLD ? [POINT] : [];
  const sections: readonly (readonly [string, readonly FieldSpec[]])[] = [
    ['What it does', [effect, ...own]],
    ['To which requests', MATCH],
    ['How often', draft.kind === HOLD ? [TIMES] : [TIMES, ...CHANCE]],
  ];
  return (
    <Drawer label="New rule" title="New rule" onClose={onClose}>
      <form className="form stack" onSubmit={send}>
        {sections.map(([title, fields]) => (
          <Section key={title} title={title}>
            <div className="form stack">
              <FormFields {...{ fields, draft, onChange }} />
            </div>
          </Section>
        ))}
        <ErrorNotice error={make.error} />
        <Button look="primary" type="submit" disabled={make.isPending}>
          Make the rule
        </Button>
        <Section title={`POST /_emulator${path}`}>
          <JsonView value={order} label="Order of the rule" />
        </Section>
      </form>
    </Drawer>
  );
}
