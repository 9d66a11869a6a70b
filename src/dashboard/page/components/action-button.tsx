import { Check, Link2, type LucideIcon } from 'lucide-react';
import type { ComponentProps, ReactElement } from 'react';
import { traceSource } from '../data/call-api.ts';
import { LazyComponentStore, useLazyComponent } from '../data/lazy-component.ts';
import { useActionMutation } from '../data/queries.ts';
import type { PopupForm } from './form.tsx';
import { Button, type ButtonProps, showErrorToast, showToast } from './page-parts.tsx';
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

const LATE_FORM = new LazyComponentStore(async () => ({ default: (await import('./form.tsx')).PopupForm }));

export function ActionButton<T>(props: ActionButtonProps<T>) {
  const { text, busy = text, disabled = false, act, toast, onSuccess, confirm, ...look } = props;
  const acting = useActionMutation(act, (answer) => {
    if (toast) showToast(toast[0], toast[1], 'good');
    onSuccess?.(answer);
  });
  const run = () => acting.mutate(undefined, { onError: showErrorToast });
  const state = acting.isPending ? { text: busy, disabled: true } : { text, disabled };
  if (traceSource.value) return null;
  const trigger = <Button {...look} {...state} onClick={confirm ? undefined : run} />;
  if (!confirm) return trigger;
  return (
    <LateForm
      {...{ text, action: text, ...confirm, trigger, fields: [], variant: 'danger' }}
      send={async () => run()}
    />
  );
}

/** Loads the code of forms only on a page that has a button with a confirmation. Until then, shows the button alone. */
function LateForm(props: ComponentProps<typeof PopupForm> & { trigger: ReactElement }) {
  const Form = useLazyComponent(LATE_FORM);
  return Form ? <Form {...props} /> : props.trigger;
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
