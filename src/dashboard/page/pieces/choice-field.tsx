import { SelectField, type SelectOption } from './select-field.tsx';

interface ChoiceFieldProps {
  label: string;
  value: string;
  options: readonly SelectOption[];
  onChange: (value: string) => void;
}

/** One of many in a form, under its label. */
export function ChoiceField(props: ChoiceFieldProps) {
  return (
    <div className="field">
      <span className="strong" aria-hidden>
        {props.label}
      </span>
      <SelectField {...props} />
    </div>
  );
}
