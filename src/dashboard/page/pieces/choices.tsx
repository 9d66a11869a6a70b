import { Toggle } from '@base-ui/react/toggle';
import { ToggleGroup } from '@base-ui/react/toggle-group';

interface ChoicesProps {
  label: string;
  value: string;
  /** Value and text of each. */
  options: readonly (readonly [string, string])[];
  onChange: (value: string) => void;
}

/** A toggle without a value could not be pressed. */
const NAMED = 'choice ';

/** One of a few, all of them in sight. */
export function Choices({ label, value, options, onChange }: ChoicesProps) {
  return (
    <ToggleGroup
      className="choices"
      aria-label={label}
      value={[NAMED + value]}
      onValueChange={([chosen]) => chosen !== undefined && onChange(chosen.slice(NAMED.length))}
    >
      {options.map(([each, text]) => (
        <Toggle key={each} className="choice soft strong bare" value={NAMED + each}>
          {text}
        </Toggle>
      ))}
    </ToggleGroup>
  );
}
