import { Button } from './button.tsx';
import { ChoiceField } from './choice-field.tsx';
import { Choices } from './choices.tsx';
import { dataUrlOf } from './data-url-of.ts';
import { FormField } from './form-field.tsx';
import { NumberField } from './number-field.tsx';
import { sayError } from './toast.tsx';

/** What a form holds, by the names of its fields; what is empty is left out. */
export type Draft = Record<string, string>;

/** A field of a form, as the service tells of those of its effects. */
export interface FieldSpec {
  name: string;
  label: string;
  /**
   * `choices` are all in sight, `options` behind a click, `checks` several of them, between blanks; a `code` is a word of
   * lower-case letters, a `file` its data URL.
   */
  type: 'text' | 'code' | 'number' | 'options' | 'choices' | 'checks' | 'switch' | 'time' | 'file';
  note?: string | undefined;
  /** What it begins with. */
  value?: string | undefined;
  isOptional?: boolean | undefined;
  min?: number | undefined;
  max?: number | undefined;
  step?: number | 'any' | undefined;
  /** Value and text of each, and what stands at the end of its line. */
  options?: readonly (readonly string[])[] | undefined;
  pattern?: string | undefined;
  placeholder?: string | undefined;
  maxLength?: number | undefined;
  /** Types of a file. */
  accept?: string | undefined;
}

interface FormInputProps {
  field: FieldSpec;
  value: string;
  onChange: (value: string) => void;
  /** What the emulator refused of the form. */
  error?: unknown;
}

const CODE = { pattern: '[a-z0-9_]{1,64}', title: 'Lower-case letters, digits and underscores' };

/** One field by what it is. */
export function FormInput({ field, value, onChange, error }: FormInputProps) {
  const { name, label, type, note, isOptional = false, min, max, step, options = [], ...rest } = field;
  if (type === 'number') {
    const bounds = { min: min ?? 0, ...(max === undefined ? {} : { max }), ...(step === undefined ? {} : { step }) };
    return <NumberField {...{ label, value, onChange, note, isOptional, ...bounds }} />;
  }
  if (type === 'choices') {
    const each = options.map(([one = '', text = one]) => [one, text] as const);
    return <Choices {...{ label, value, onChange }} options={each} />;
  }
  if (type === 'options') {
    const each = options.map(([one = '', text = one, more]) => ({ value: one, text, note: more }));
    return <ChoiceField {...{ label, value, onChange }} options={each} />;
  }
  if (type === 'checks') return <Checks {...{ label, value, onChange, options }} />;
  if (type === 'switch') {
    return (
      <label className="row">
        <input
          type="checkbox"
          checked={value !== ''}
          onChange={({ target }) => onChange(target.checked ? 'yes' : '')}
        />
        {label}
      </label>
    );
  }
  const { pattern, placeholder, maxLength, accept } = rest;
  if (type === 'file') {
    const choose = (file: File | undefined) => void (file && dataUrlOf(file).then(onChange, sayError));
    return (
      <FormField {...{ label, note, name, error }}>
        <input
          className="file-input soft"
          type="file"
          accept={accept}
          onChange={({ target }) => choose(target.files?.[0])}
        />
      </FormField>
    );
  }
  return (
    <FormField {...{ label, note, name, error }}>
      <input
        className="input"
        dir="auto"
        {...(type === 'code' ? CODE : { pattern, placeholder, maxLength })}
        {...(type === 'time' ? { type: 'datetime-local', step: 1 } : {})}
        required={!isOptional}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </FormField>
  );
}

type ChecksProps = Pick<FieldSpec, 'label' | 'options'> & Pick<FormInputProps, 'value' | 'onChange'>;

/** Several of a few, all or none by one click. */
function Checks({ label, value, onChange, options = [] }: ChecksProps) {
  const all = options.flatMap(([one]) => one ?? []);
  const chosen = value.split(' ').filter(Boolean);
  const isAll = chosen.length === all.length;
  const turn = (one: string, isOn: boolean) =>
    onChange(all.filter((each) => (each === one ? isOn : chosen.includes(each))).join(' '));
  return (
    <fieldset className="checks">
      <legend className="row">
        {label}
        <Button look="quiet" onClick={() => onChange(isAll ? '' : all.join(' '))}>
          {isAll ? 'None' : 'All'}
        </Button>
      </legend>
      {all.map((one) => (
        <label key={one} className="row">
          <input type="checkbox" checked={chosen.includes(one)} onChange={({ target }) => turn(one, target.checked)} />
          <code>{one}</code>
        </label>
      ))}
    </fieldset>
  );
}
