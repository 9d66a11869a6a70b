import { Field } from '@base-ui/react/field';
import type { ReactElement, ReactNode } from 'react';
import { ApiError } from '../data/call-api.ts';

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
