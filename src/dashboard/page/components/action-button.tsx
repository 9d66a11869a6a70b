import { Check, Link2, type LucideIcon } from 'lucide-react';
import { cloneElement, type ReactElement, useState } from 'react';
import { LazyComponent, useLazyComponent } from '../data/lazy-component.ts';
import { useActionMutation } from '../data/queries.ts';
import { Button, type ButtonProps, LiveOnly, showErrorToast, showToast } from './page-parts.tsx';
import { useCopyToClipboard } from './values.tsx';

interface ActionButtonProps<T> extends Pick<ButtonProps, 'icon' | 'variant' | 'isSmall' | 'word' | 'title'> {
  text: string;
  busy?: string;
  disabled?: boolean;
  act: () => Promise<T>;
  toast?: readonly [title: string, note?: string];
  onSuccess?: (answer: T) => void;
  confirm?: { title: string; note?: string; action?: string };
}

export function ActionButton<T>(props: ActionButtonProps<T>) {
  const { text, busy = text, disabled = false, act, toast, onSuccess, confirm, ...look } = props;
  const acting = useActionMutation(act, (answer) => {
    if (toast) showToast(toast[0], toast[1], 'good');
    onSuccess?.(answer);
  });
  const run = () => acting.mutate(undefined, { onError: showErrorToast });
  const { isPending } = acting;
  const button = <Button {...look} text={isPending ? busy : text} disabled={disabled || isPending} onClick={run} />;
  if (!confirm) return <LiveOnly>{button}</LiveOnly>;
  return <Confirm trigger={button} {...{ text, ...confirm }} onConfirm={run} />;
}

const LATE_FORM = new LazyComponent(async () => ({ default: (await import('./form.tsx')).PopupForm }));

interface ConfirmProps extends NonNullable<ActionButtonProps<unknown>['confirm']> {
  trigger: ReactElement<{ onClick?: () => void }>;
  text: string;
  onConfirm: () => void;
}

function Confirm({ trigger, text, action = text, onConfirm, ...heading }: ConfirmProps) {
  const [isPressed, setIsPressed] = useState(false);
  const PopupForm = useLazyComponent(LATE_FORM);
  const closed = <LiveOnly>{cloneElement(trigger, { onClick: () => setIsPressed(true) })}</LiveOnly>;
  if (!isPressed || !PopupForm) return closed;
  const send = async () => onConfirm();
  return (
    <PopupForm {...heading} {...{ text, trigger, action, send, fields: [], variant: 'danger', isOpenAtFirst: true }} />
  );
}

interface CopyTextProps extends Pick<ButtonProps, 'disabled' | 'title'> {
  name: string;
  icon?: LucideIcon;
  text: () => string;
}

export function CopyTextButton({ name, icon = Link2, text, ...look }: CopyTextProps) {
  const { copied, copy } = useCopyToClipboard();
  return <Button {...look} text={copied ? 'Copied' : name} icon={copied ? Check : icon} onClick={() => copy(text())} />;
}
