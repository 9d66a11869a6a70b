import type { LucideIcon } from 'lucide-react';
import { cloneElement, type KeyboardEvent, lazy, Suspense, useRef, useState } from 'react';
import { loadModule } from '../data/load-module.ts';
import { useAction } from '../data/queries.ts';
import type { ConfirmProps } from './confirm-popover.tsx';
import { Button, LiveOnly } from './page-parts.tsx';
import { showError, showToast } from './toast.tsx';

interface ActionButtonProps<T> {
  text: string;
  icon?: LucideIcon;
  look?: 'plain' | 'primary' | 'quiet';
  /** Shows its icon alone. */
  isSmall?: boolean;
  /** What it says while it is under way. */
  busy?: string;
  disabled?: boolean;
  title?: string | undefined;
  act: () => Promise<T>;
  /** Said when it is done: a title, and a note below it. */
  said?: readonly [title: string, note?: string];
  done?: (answer: T) => void;
  /** Asked once more before; the button that does it says the same, or `action`. */
  ask?: { title: string; note?: string; action?: string };
}

/** A button that does something to the emulator, and says how it went. The record of a run has none. */
export function ActionButton<T>({
  text,
  icon: Icon,
  look,
  isSmall,
  busy,
  disabled,
  title,
  ask,
  ...deed
}: ActionButtonProps<T>) {
  const { act, said, done } = deed;
  const acting = useAction(act, (answer) => {
    if (said) showToast(said[0], said[1], 'good');
    done?.(answer);
  });
  const run = () => acting.mutate(undefined, { onError: showError });
  const button = (
    <Button
      look={look ?? 'plain'}
      icon={Icon}
      disabled={disabled || acting.isPending}
      {...(isSmall ? { 'aria-label': text } : {})}
      {...(title ? { title } : {})}
      onClick={run}
    >
      {isSmall ? undefined : acting.isPending ? (busy ?? text) : text}
    </Button>
  );
  if (!ask) return <LiveOnly>{button}</LiveOnly>;
  return <Confirm trigger={button} {...ask} action={ask.action ?? text} onConfirm={run} />;
}

const ConfirmPopover = lazy(() => loadModule(() => import('./confirm-popover.tsx')));

/** Asks once more before something is lost. The question is loaded when its button is first pressed. */
function Confirm(props: ConfirmProps) {
  return (
    <LiveOnly>
      <ConfirmOnce {...props} />
    </LiveOnly>
  );
}

function ConfirmOnce(props: ConfirmProps) {
  const [asked, setAsked] = useState(false);
  if (!asked) return cloneElement(props.trigger, { onClick: () => setAsked(true) });
  return (
    <Suspense fallback={props.trigger}>
      <ConfirmPopover {...props} />
    </Suspense>
  );
}

interface FileButtonProps {
  /** Without it the icon stands alone. */
  text?: string;
  /** What the files are for, for those who do not see it. */
  label: string;
  icon: LucideIcon;
  look?: 'plain' | 'primary';
  accept?: string;
  multiple?: boolean;
  disabled?: boolean;
  onChoose: (files: File[]) => void;
}

/** A button that takes files from the disk; the same ones can be chosen again. */
export function FileButton({ text, label, icon: Icon, look, disabled, onChoose, ...field }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        {...field}
        ref={input}
        type="file"
        hidden
        aria-label={label}
        onChange={({ target }) => {
          onChoose([...(target.files ?? [])]);
          target.value = '';
        }}
      />
      <Button
        look={look ?? 'plain'}
        icon={Icon}
        disabled={disabled ?? false}
        {...(text ? {} : { 'aria-label': label })}
        onClick={() => input.current?.click()}
      >
        {text}
      </Button>
    </>
  );
}

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
