import { type FormEvent, useState } from 'react';
import { callControl } from '../data/call-api.ts';
import { useEffects } from '../data/effects.ts';
import { useAct } from '../data/queries.ts';
import type { Account } from '../data/records.ts';
import { Button } from '../pieces/button.tsx';
import { Choices } from '../pieces/choices.tsx';
import { Drawer } from '../pieces/drawer.tsx';
import type { Draft } from '../pieces/effect-draft.ts';
import { ErrorNotice } from '../pieces/error-notice.tsx';
import { FormField } from '../pieces/form-field.tsx';
import { JsonView } from '../pieces/json-view.tsx';
import { NumberField } from '../pieces/number-field.tsx';
import { Section } from '../pieces/page-head.tsx';
import { say } from '../pieces/toast.tsx';
import { DeedFields } from './deed-fields.tsx';
import { HOLD, NEW_RULE, orderOf } from './rule-order.ts';

const OWNERS = [
  ['all', 'Every account'],
  ['mine', 'This account'],
] as const;

interface NewFaultDrawerProps {
  account: Account | undefined;
  onMade: (id: string) => void;
  onClose: () => void;
}

/** A form for any rule, with the order that it makes. */
export function NewFaultDrawer({ account, onMade, onClose }: NewFaultDrawerProps) {
  const kinds = useEffects();
  const [draft, setDraft] = useState<Draft>(NEW_RULE);
  const set = (name: string) => (value: string) => setDraft({ ...draft, [name]: value });
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
  return (
    <Drawer label="New rule" title="New rule" onClose={onClose}>
      <form className="rule-form" onSubmit={send}>
        <Section title="What it does">
          <DeedFields kinds={kinds} draft={draft} onChange={set} />
        </Section>
        <Section title="To which requests">
          <MatchFields draft={draft} onChange={set} />
        </Section>
        <Section title="How often">
          <FrequencyFields draft={draft} onChange={set} />
        </Section>
        <ErrorNotice error={make.error} />
        <div>
          <Button look="primary" type="submit" disabled={make.isPending}>
            Make the rule
          </Button>
        </div>
        <Section title={`POST /_emulator${path}`}>
          <JsonView value={order} label="Order of the rule" />
        </Section>
      </form>
    </Drawer>
  );
}

interface FieldsProps {
  draft: Draft;
  /** Sets the field of this name. */
  onChange: (name: string) => (value: string) => void;
}

function MatchFields({ draft, onChange }: FieldsProps) {
  const texts = [
    ['path', 'Path begins with', '/v1/images'],
    ['method', 'Method', 'POST'],
    ['model', 'Model', 'svc-rp-mini'],
    ['contains', 'A text contains', 'lighthouse'],
  ] as const;
  return (
    <div className="rule-fields">
      {texts.map(([name, label, example]) => (
        <FormField key={name} label={label}>
          <input
            className="input"
            placeholder={`Any, or ${example}`}
            value={draft[name] ?? ''}
            onChange={(event) => onChange(name)(event.target.value)}
          />
        </FormField>
      ))}
      <Choices label="Of whom" value={draft.whose ?? 'all'} options={OWNERS} onChange={onChange('whose')} />
    </div>
  );
}

function FrequencyFields({ draft, onChange }: FieldsProps) {
  return (
    <div className="rule-fields" data-columns>
      <NumberField
        label="Times"
        note="0: until it is removed."
        value={draft.times ?? ''}
        onChange={onChange('times')}
        max={1_000_000}
      />
      {draft.kind !== HOLD && <ChanceFields draft={draft} onChange={onChange} />}
    </div>
  );
}

function ChanceFields({ draft, onChange }: FieldsProps) {
  return (
    <>
      <NumberField
        label="Chance, in %"
        value={draft.chance ?? ''}
        onChange={onChange('chance')}
        min={0.01}
        max={100}
        step="any"
      />
      <NumberField
        label="Seconds to live"
        note="By the emulator's clock."
        value={draft.ttl_seconds ?? ''}
        onChange={onChange('ttl_seconds')}
        min={1}
        isOptional
      />
    </>
  );
}
