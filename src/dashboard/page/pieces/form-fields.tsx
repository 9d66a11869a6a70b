import { type Draft, type FieldSpec, FormInput } from './form-input.tsx';

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
