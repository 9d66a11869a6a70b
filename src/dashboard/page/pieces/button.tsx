import type { LucideIcon } from 'lucide-react';
import { type ComponentProps, cloneElement, lazy, type ReactNode, Suspense, useState } from 'react';
import { Link } from 'wouter';
import { recordSource } from '../data/call-api.ts';
import { loadModule } from '../data/load-module.ts';
import { useAction } from '../data/queries.ts';
import type { ConfirmProps } from './confirm-popover.tsx';
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

interface ButtonProps extends ComponentProps<'button'> {
  text?: string | undefined;
  look?: 'plain' | 'primary' | 'danger' | 'quiet' | undefined;
  icon?: LucideIcon | undefined;
  /** It leads to what can be done to an emulator: over the record of a run there is none of it. */
  isLiveOnly?: boolean;
}

/** A button; one with an icon alone needs an `aria-label`. */
export function Button(props: ButtonProps) {
  const { text, look = 'plain', icon: Icon, title, isLiveOnly, children = text, ...rest } = props;
  if (isLiveOnly && recordSource.value) return null;
  const hasText = children !== undefined;
  const told = title ?? (hasText ? undefined : rest['aria-label']);
  const small = hasText ? {} : { 'data-only-icon': '' };
  return (
    <button type="button" data-look={look} {...small} {...rest} title={told} className="button">
      {Icon && <Icon aria-hidden />}
      {children}
    </button>
  );
}

interface LinkButtonProps {
  href: string;
  text: string;
  icon?: LucideIcon;
  look?: 'plain' | 'quiet';
  /** Shows its icon alone. */
  isSmall?: boolean;
  /** A file to save, under this name or its own. */
  download?: string | true;
  title?: string;
  onClick?: () => void;
}

/** A link that looks like a button. */
export function LinkButton({ text, icon: Icon, look, isSmall, title, ...rest }: LinkButtonProps) {
  const Tag = rest.download ? 'a' : Link;
  const small = isSmall && { 'data-only-icon': '', 'aria-label': text };
  return (
    <Tag {...rest} {...small} className="button" data-look={look} title={title ?? (isSmall ? text : undefined)}>
      {Icon && <Icon aria-hidden />} {!isSmall && text}
    </Tag>
  );
}

/** What can be done to an emulator: over the record of a run there is none of it. */
export function LiveOnly({ children }: { children: ReactNode }) {
  return recordSource.value ? null : children;
}
