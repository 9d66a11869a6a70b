import type { KeyboardEvent } from 'react';

interface ChoicesProps {
  label: string;
  value: string;
  /** Value and text of each. */
  options: readonly (readonly [string, string])[];
  onChange: (value: string) => void;
}

/** One of a few, all of them in sight: one stop for Tab, along which the arrows go. */
export function Choices({ label, value, options, onChange }: ChoicesProps) {
  const found = options.findIndex(([each]) => each === value);
  const chosen = Math.max(0, found);
  const move = ({ key, currentTarget: { nextElementSibling, previousElementSibling } }: KeyboardEvent) => {
    const to = { ArrowRight: nextElementSibling, ArrowLeft: previousElementSibling }[key];
    if (to instanceof HTMLElement) to.focus();
  };
  return (
    <div className="choices" role="group" aria-label={label}>
      {options.map(([each, text], at) => (
        <button
          key={each}
          type="button"
          className="choice soft strong bare"
          aria-pressed={each === value}
          tabIndex={at === chosen ? 0 : -1}
          onClick={() => onChange(each)}
          onKeyDown={move}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
