import { Field } from '@base-ui/react/field';
import type { ReactElement, ReactNode } from 'react';
import { ApiError } from '../data/call-api.ts';
import { Choices } from './choices.tsx';
import { Button } from './page-parts.tsx';
import { SelectField, type SelectOption } from './select-field.tsx';
import { sayError } from './toast.tsx';

interface FormFieldsProps {
  fields: readonly FieldSpec[];
  draft: Draft;
  onChange: (draft: Draft) => void;
  error?: unknown;
}

/** The fields of a form, over what was changed of them. */
export function FormFields({ fields, draft, onChange, error }: FormFieldsProps) {
  return fields.map((field) => (
    <FormInput
      key={field.label}
      field={field}
      value={draft[field.name] ?? field.value ?? ''}
      onChange={(value) => onChange({ ...draft, [field.name]: value })}
      error={error}
    />
  ));
}

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
function FormInput({ field, value, onChange, error }: FormInputProps) {
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

interface FormFieldProps {
  label: string;
  note?: ReactNode;
  /** Its name in the API: an error that names it is shown here. */
  name?: string;
  error?: unknown;
  /** An input, as `<input className="input" />`; Base UI ties it to its label. */
  children: ReactElement;
}

/** A field of a form with its label, a note, and what the emulator said of it. */
export function FormField({ label, note, name, error, children }: FormFieldProps) {
  const said = error instanceof ApiError && name && error.param === name ? error.message : undefined;
  return (
    <Field.Root className="field" invalid={said !== undefined}>
      <Field.Label className="strong">{label}</Field.Label>
      <Field.Control render={children} />
      {note && <Field.Description className="soft small">{note}</Field.Description>}
      {said && (
        <Field.Error className="toned small" data-tone="bad" match>
          {said}
        </Field.Error>
      )}
    </Field.Root>
  );
}

interface NumberFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  min?: number;
  max?: number;
  /** `any`: not only whole numbers. */
  step?: number | 'any';
  note?: ReactNode;
  isOptional?: boolean;
}

/** A field for a number, whole unless `step` says otherwise. */
function NumberField(props: NumberFieldProps) {
  const { label, value, onChange, min = 0, max, step = 1, note, isOptional = false } = props;
  return (
    <FormField label={label} note={note}>
      <input
        className="input"
        type="number"
        required={!isOptional}
        {...{ min, max, step, value }}
        onChange={(event) => onChange(event.target.value)}
      />
    </FormField>
  );
}

interface ChoiceFieldProps {
  label: string;
  value: string;
  options: readonly SelectOption[];
  onChange: (value: string) => void;
}

/** One of many in a form, under its label. */
function ChoiceField(props: ChoiceFieldProps) {
  return (
    <div className="field">
      <span className="strong" aria-hidden>
        {props.label}
      </span>
      <SelectField {...props} />
    </div>
  );
}

/** A file as a data URL, as fields for pictures and voices take it. */
export function dataUrlOf(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
