import type { ReactNode } from 'react';
import { FormField } from './form-field.tsx';

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
export function NumberField(props: NumberFieldProps) {
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
