import type { EffectField, EffectKind } from '../data/effects.ts';
import { ChoiceField } from './choice-field.tsx';
import { type Draft, fieldKey } from './effect-draft.ts';
import { FormField } from './form-field.tsx';
import { NumberField } from './number-field.tsx';

interface EffectFieldsProps {
  kind: EffectKind;
  draft: Draft;
  /** Sets the field of this name. */
  onChange: (name: string) => (value: string) => void;
}

/** What belongs to an effect. */
export function EffectFields({ kind, draft, onChange }: EffectFieldsProps) {
  return kind.fields.map((field) => {
    const key = fieldKey(kind, field);
    return <EffectInput key={key} field={field} value={draft[key] ?? field.value ?? ''} onChange={onChange(key)} />;
  });
}

interface EffectInputProps {
  field: EffectField;
  value: string;
  onChange: (value: string) => void;
}

function EffectInput({ field, value, onChange }: EffectInputProps) {
  const { label, type, note, isOptional = false, min = 0, max, options = [] } = field;
  if (type === 'number') {
    const bounds = max === undefined ? { min } : { min, max };
    return <NumberField {...{ label, value, onChange, note, isOptional, ...bounds }} />;
  }
  if (type === 'options') {
    const each = options.map(([one = '', text = one]) => ({ value: one, text }));
    return <ChoiceField label={label} value={value} options={each} onChange={onChange} />;
  }
  if (type === 'switch') {
    return (
      <label className="rule-switch">
        <input
          type="checkbox"
          checked={value !== ''}
          onChange={({ target }) => onChange(target.checked ? 'yes' : '')}
        />
        {label}
      </label>
    );
  }
  const code = { pattern: '[a-z0-9_]{1,64}', title: 'Lower-case letters, digits and underscores' };
  return (
    <FormField label={label} note={note}>
      <input
        className="input"
        {...(type === 'code' ? code : {})}
        required={!isOptional}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </FormField>
  );
}
