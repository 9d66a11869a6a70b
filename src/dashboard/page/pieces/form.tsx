import { Popover } from '@base-ui/react/popover';
import type { LucideIcon } from 'lucide-react';
import { type FormEvent, Fragment, type ReactNode, useState } from 'react';
import type { EffectField, EffectKind } from '../data/holds.ts';
import { useAction } from '../data/queries.ts';
import { type Draft, type FieldSpec, FormField } from './form-field.tsx';
import { Button, ErrorNotice, LiveOnly, Section, showToast } from './page-parts.tsx';

interface FieldsFormProps<T> {
  /** The fields, which may depend on what was entered so far. */
  fields: readonly FieldSpec[] | ((draft: Draft) => readonly FieldSpec[]);
  /** The text of the submit button. */
  action: string;
  /** The text of that button while it sends. */
  busy?: string;
  icon?: LucideIcon;
  /** Sends the values of all fields; an error is shown in the form. */
  send: (whole: Draft) => Promise<T>;
  onSuccess?: (answer: T) => void;
  /** Why it cannot be submitted yet, or true when the reason is visible. */
  disabledReason?: (whole: Draft) => string | boolean;
  /** Shown above the fields, beside the button and below the form. */
  before?: (draft: Draft) => ReactNode;
  beside?: ReactNode;
  after?: (whole: Draft) => ReactNode;
}

/** A form that is described by its fields. */
export function FieldsForm<T>(props: FieldsFormProps<T>) {
  const { fields, action, busy = action, icon, send, onSuccess, disabledReason, before, beside, after } = props;
  const [draft, setDraft] = useState<Draft>({});
  const specs = typeof fields === 'function' ? fields(draft) : fields;
  const whole = Object.fromEntries(specs.map(({ name, value = '' }) => [name, draft[name] ?? value]));
  const act = useAction(() => send(whole), onSuccess);
  const blockedBy = disabledReason?.(whole) ?? false;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    act.mutate(undefined);
  };
  return (
    <form className="form stack" onSubmit={submit}>
      {before?.(draft)}
      {partsOf(specs).map(({ title, own }) => {
        const inputs = own.map((field) => (
          <FormField
            key={field.label}
            {...{ field, error: act.error, value: whole[field.name] ?? '' }}
            onChange={(value) => setDraft({ ...draft, [field.name]: value })}
          />
        ));
        if (title === undefined) return <Fragment key="">{inputs}</Fragment>;
        return (
          <Section key={title} title={title}>
            <div className="form stack">{inputs}</div>
          </Section>
        );
      })}
      <ErrorNotice error={act.error} />
      <div className="row">
        {beside && <span className="grow" />}
        {beside}
        <Button
          text={act.isPending ? busy : action}
          {...{ variant: 'primary', type: 'submit', icon, disabled: act.isPending || blockedBy !== false }}
          title={typeof blockedBy === 'string' ? blockedBy : undefined}
        />
      </div>
      {after?.(whole)}
    </form>
  );
}

/** Groups fields by their section title. */
function partsOf(specs: readonly FieldSpec[]): { title: string | undefined; own: readonly FieldSpec[] }[] {
  const titles = [...new Set(specs.map(({ section }) => section))];
  return titles.map((title) => ({ title, own: specs.filter(({ section }) => section === title) }));
}

/** The fields of an effect; fields of two kinds may have the same name. */
export function fieldsOfEffect(kind: EffectKind): FieldSpec[] {
  return kind.fields.map((field) => ({ ...field, name: fieldKey(kind, field) }));
}

function fieldKey({ kind }: EffectKind, { name }: EffectField): string {
  return `${kind}.${name}`;
}

/** The effect of a draft, in the shape of the control surface. */
export function effectOf(kind: EffectKind, draft: Draft): object {
  if (kind.shape === 'true') return { [kind.kind]: true };
  const fields = kind.fields.flatMap((field) => {
    const value = given(draft[fieldKey(kind, field)] ?? field.value, field.type);
    return value === undefined ? [] : [[field.name, value] as const];
  });
  const own = Object.fromEntries(fields);
  return kind.shape === 'nested' ? { [kind.kind]: own } : own;
}

function given(text: string | undefined, type: EffectField['type']) {
  if (!text) return undefined;
  if (type === 'number') return Number(text);
  return type === 'switch' ? true : text;
}

interface PopupFormProps extends Pick<FieldsFormProps<unknown>, 'fields' | 'send' | 'action'> {
  /** The text of the button that opens it. */
  text: string;
  icon?: LucideIcon;
  variant?: 'plain' | 'primary';
  title?: string;
  note?: string | ((draft: Draft) => string | undefined);
  /** The toast after it. */
  toast?: string | ((draft: Draft) => string);
}

/** A small form beside the button that opens it. It closes on success, and shows an error otherwise. */
export function PopupForm({ text, icon, variant, title = text, note, toast, send, ...form }: PopupFormProps) {
  const [isOpen, setIsOpen] = useState(false);
  const heading = (draft: Draft) => {
    const words = typeof note === 'function' ? note(draft) : note;
    return (
      <>
        <Popover.Title>{title}</Popover.Title>
        {words && <Popover.Description className="soft">{words}</Popover.Description>}
      </>
    );
  };
  const sendAndClose = async (draft: Draft) => {
    await send(draft);
    if (toast) showToast(typeof toast === 'string' ? toast : toast(draft), undefined, 'good');
    setIsOpen(false);
  };
  return (
    <LiveOnly>
      <Popover.Root open={isOpen} onOpenChange={setIsOpen}>
        <Popover.Trigger render={<Button {...{ variant, icon }}>{text}</Button>} />
        <Popover.Portal>
          <Popover.Positioner className="popup-layer" sideOffset={6} align="end">
            <Popover.Popup className="popup popup-form">
              <FieldsForm
                {...form}
                send={sendAndClose}
                before={heading}
                beside={<Popover.Close render={<Button text="Cancel" />} />}
              />
            </Popover.Popup>
          </Popover.Positioner>
        </Popover.Portal>
      </Popover.Root>
    </LiveOnly>
  );
}
