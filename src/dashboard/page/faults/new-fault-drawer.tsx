import { type FormEvent, useState } from 'react';
import { callControl } from '../data/call-api.ts';
import { useEffects } from '../data/effects.ts';
import { useAct } from '../data/queries.ts';
import type { Account } from '../data/records.ts';
import { Button } from '../pieces/button.tsx';
import { Drawer } from '../pieces/drawer.tsx';
import { fieldsOfEffect } from '../pieces/effect-draft.ts';
import { ErrorNotice } from '../pieces/error-notice.tsx';
import { FormFields } from '../pieces/form-fields.tsx';
import type { Draft, FieldSpec } from '../pieces/form-input.tsx';
import { JsonView } from '../pieces/json-view.tsx';
import { Section } from '../pieces/page-head.tsx';
import { say } from '../pieces/toast.tsx';
import { HOLD, NEW_RULE, orderOf } from './rule-order.ts';

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
