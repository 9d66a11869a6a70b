import type { LucideIcon } from 'lucide-react';
import { cloneElement, lazy, Suspense, useState } from 'react';
import { loadModule } from '../data/load-module.ts';
import { useAction } from '../data/queries.ts';
import { Button, LiveOnly } from './button.tsx';
import type { ConfirmProps } from './confirm-popover.tsx';
import { showError, showToast } from './page-parts.tsx';

interface ActionButtonProps<T> {
  text: string;
  icon?: LucideIcon;
  look?: 'plain' | 'primary' | 'quiet';
  /** Shows the icon only. */
  isSmall?: boolean;
  /** The text while the action runs. */
  busy?: string;
  disabled?: boolean;
  title?: string | undefined;
  act: () => Promise<T>;
  /** The toast when it is done: a title, and a note below it. */
  said?: readonly [title: string, note?: string];
  done?: (answer: T) => void;
  /** Asks for confirmation first; the confirming button has the same text, or `action`. */
  ask?: { title: string; note?: string; action?: string };
}

/** A button that changes the emulator and shows the result as a toast. A trace has none. */
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

/** Asks for confirmation before something is lost. The popover is loaded when the button is first pressed. */
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
