import { ChoiceField } from '../pieces/choice-field.tsx';
import { FormField } from '../pieces/form-field.tsx';
import { NumberField } from '../pieces/number-field.tsx';
import { type Draft, type DraftField, EFFECTS } from './fault-draft.ts';

const KINDS = Object.entries(EFFECTS).map(([value, { text }]) => ({ value, text }));

interface EffectFieldsProps {
  draft: Draft;
  /** Sets the field of this name. */
  onChange: (name: string) => (value: string) => void;
}

/** The kind of an effect, and what belongs to it. */
export function EffectFields({ draft, onChange }: EffectFieldsProps) {
  const { kind = 'status' } = draft;
  return (
    <div className="rule-fields">
      <ChoiceField label="Effect" value={kind} options={KINDS} onChange={onChange('kind')} />
      {EFFECTS[kind]?.fields.map((field) => (
        <EffectField key={field.name} field={field} value={draft[field.name] ?? ''} onChange={onChange(field.name)} />
      ))}
    </div>
  );
}

interface EffectFieldProps {
  field: DraftField;
  value: string;
  onChange: (value: string) => void;
}

function EffectField({ field, value, onChange }: EffectFieldProps) {
  const { label, type, note, isOptional = false, min = 0, max, options = [] } = field;
  if (type === 'number') {
    const bounds = max === undefined ? { min } : { min, max };
    return <NumberField {...{ label, value, onChange, note, isOptional, ...bounds }} />;
  }
  if (type === 'options') {
    const each = options.map(([one, text]) => ({ value: one, text }));
    return <ChoiceField label={label} value={value} options={each} onChange={onChange} />;
  }
  if (type === 'switch') {
    return (
      <label className="rule-switch">
        <input
          type="checkbox"
          checked={value !== ''}
          onChange={(event) => onChange(event.target.checked ? 'yes' : '')}
        />
        {label}
      </label>
    );
  }
  return (
    <FormField label={label} note={note}>
      <input
        className="input"
        pattern="[a-z0-9_]{1,64}"
        title="Lower-case letters, digits and underscores"
        required={!isOptional}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </FormField>
  );
}
