import { Field } from '@base-ui/react/field';
import { Popover } from '@base-ui/react/popover';
import { Select } from '@base-ui/react/select';
import { ChevronsUpDown, type LucideIcon } from 'lucide-react';
import {
  type ChangeEvent,
  type ComponentProps,
  type FormEvent,
  type ReactElement,
  type ReactNode,
  useState,
} from 'react';
import { ControlError } from '../../../control/control-errors.ts';
import { callControl, traceSource } from '../data/call-api.ts';
import type { FaultEffectInput } from '../data/holds.ts';
import { useActionMutation } from '../data/queries.ts';
import type { Account, FaultEffectDefinition } from '../data/records.ts';
import { Button, ErrorNotice, LiveOnly, Section, SegmentedControl, showErrorToast, showToast } from './page-parts.tsx';

interface FieldsFormProps<T> {
  fields: readonly FieldSpec[] | ((draft: FormValues) => readonly FieldSpec[]);
  action: string;
  busy?: string;
  icon?: LucideIcon;
  isDangerous?: boolean;
  send: (whole: FormValues) => Promise<T>;
  onSuccess?: (answer: T) => void;
  isDisabled?: (whole: FormValues) => boolean;
  before?: (draft: FormValues) => ReactNode;
  extra?: ReactNode;
  after?: (whole: FormValues) => ReactNode;
}

export function FieldsForm<T>(props: FieldsFormProps<T>) {
  const { fields, action, busy = action, icon, isDangerous, send, onSuccess, isDisabled, before, extra, after } = props;
  const [draft, setDraft] = useState<FormValues>({});
  const specs = typeof fields === 'function' ? fields(draft) : fields;
  const whole = Object.fromEntries(specs.map(({ name, value = '' }) => [name, draft[name] ?? value]));
  const act = useActionMutation(() => send(whole), onSuccess);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    act.mutate(undefined);
  };
  return (
    <form className="form stack" onSubmit={submit}>
      {before?.(draft)}
      {[...Map.groupBy(specs, ({ section }) => section ?? '')].map(([title, own]) => {
        const inputs = own.map((field) => (
          <FormField
            key={field.label}
            {...{ field, error: act.error, value: whole[field.name] ?? '' }}
            onChange={(value) => setDraft({ ...draft, [field.name]: value })}
          />
        ));
        if (title === '') return inputs;
        return (
          <Section key={title} title={title}>
            <div className="form stack">{inputs}</div>
          </Section>
        );
      })}
      <ErrorNotice error={act.error} />
      <div className="row">
        {extra && <span className="grow" />}
        {extra}
        <Button
          {...{ text: act.isPending ? busy : action, type: 'submit', icon }}
          variant={isDangerous ? 'danger' : 'primary'}
          disabled={act.isPending || isDisabled?.(whole)}
        />
      </div>
      {after?.(whole)}
    </form>
  );
}

type EffectField = FaultEffectDefinition['fields'][number];

/** The menu of effects, unless there is only one, and the fields of the chosen effect. */
export function buildEffectFields(
  kinds: readonly FaultEffectDefinition[],
  chosen: string | undefined,
  others: Options = [],
): FieldSpec[] {
  const options = [...kinds.map(({ kind, text }) => [kind, text]), ...others];
  const menu = { name: 'kind', label: 'Effect', type: 'options', options, value: chosen } as const;
  const fields = kinds.find(({ kind }) => kind === chosen)?.fields ?? [];
  const own = fields.map((field) => ({ ...field, name: `${chosen}.${field.name}` }));
  return options.length > 1 ? [menu, ...own] : own;
}

export function buildEffectFromForm(kinds: readonly FaultEffectDefinition[], draft: FormValues): FaultEffectInput {
  const kind = kinds.find((each) => each.kind === draft.kind) ?? kinds[0];
  if (!kind) return {};
  if (kind.shape === 'true') return { [kind.kind]: true } as FaultEffectInput;
  const fields = kind.fields.flatMap((field) => {
    const value = given(draft[`${kind.kind}.${field.name}`] ?? field.value, field.type);
    return value === undefined ? [] : [[field.name, value] as const];
  });
  const own = Object.fromEntries(fields);
  return (kind.shape === 'nested' ? { [kind.kind]: own } : own) as FaultEffectInput;
}

function given(text: string | undefined, type: EffectField['type']) {
  if (!text) return undefined;
  if (type === 'number') return Number(text);
  return type === 'switch' ? true : text;
}

interface PopupFormProps extends Pick<FieldsFormProps<unknown>, 'fields' | 'send' | 'action' | 'isDisabled'> {
  text: string;
  icon?: LucideIcon;
  variant?: 'plain' | 'primary' | 'danger';
  trigger?: ReactElement;
  title?: string;
  note?: string | ((draft: FormValues) => string | undefined);
  toast?: string | ((draft: FormValues) => string);
}

export function PopupForm(props: PopupFormProps) {
  const { text, icon, variant, trigger, title = text, note, toast, send, ...form } = props;
  const [isOpen, setIsOpen] = useState(false);
  const heading = (draft: FormValues) => {
    const words = typeof note === 'function' ? note(draft) : note;
    return (
      <>
        <Popover.Title>{title}</Popover.Title>
        {words && <Popover.Description className="soft">{words}</Popover.Description>}
      </>
    );
  };
  const sendAndClose = async (draft: FormValues) => {
    await send(draft);
    if (toast) showToast(typeof toast === 'string' ? toast : toast(draft), undefined, 'good');
    setIsOpen(false);
  };
  return (
    <LiveOnly>
      <Popover.Root open={isOpen} onOpenChange={setIsOpen}>
        <Popover.Trigger render={trigger ?? <Button {...{ text, variant, icon }} />} />
        <Popover.Portal>
          <Popover.Positioner className="popup-layer" sideOffset={6} align="end">
            <Popover.Popup className="popup popup-form">
              <FieldsForm
                {...form}
                {...{ send: sendAndClose, before: heading, isDangerous: variant === 'danger' }}
                extra={<Popover.Close render={<Button text="Cancel" />} />}
              />
            </Popover.Popup>
          </Popover.Positioner>
        </Popover.Portal>
      </Popover.Root>
    </LiveOnly>
  );
}

export type FormValues = Record<string, string>;

type InputAttributes = 'min' | 'max' | 'step' | 'pattern' | 'placeholder' | 'maxLength' | 'accept';

export interface FieldSpec extends Pick<ComponentProps<'input'>, InputAttributes> {
  name: string;
  label: string;
  /**
   * `choices` shows all options, and `options` shows them in a menu. The value of `checks` can name several options,
   * separated by spaces. The value of `file` is a data URL.
   */
  type: 'text' | 'code' | 'secret' | 'number' | 'options' | 'choices' | 'checks' | 'switch' | 'time' | 'file';
  note?: ReactNode;
  value?: string | undefined;
  isOptional?: boolean | undefined;
  options?: Options | undefined;
  section?: string | undefined;
}

interface FormFieldProps {
  field: FieldSpec;
  value: string;
  onChange: (value: string) => void;
  error?: unknown;
}

function FormField({ field, value, onChange, error }: FormFieldProps) {
  const { name, label, type, note, options = [] } = field;
  if (type === 'choices') {
    const texts = Object.fromEntries(options.map(([one = '', text = one]) => [one, text]));
    return <SegmentedControl {...{ label, value, onChange }} options={texts} />;
  }
  if (type === 'checks') return <Checks {...{ field, value, onChange }} />;
  if (type === 'switch') {
    return (
      <label className="row">
        <input
          type="checkbox"
          checked={value !== ''}
          onChange={({ target }) => onChange(target.checked ? 'yes' : '')}
        />
        {label}
      </label>
    );
  }
  if (type === 'options') {
    return (
      <div className="field">
        <span className="strong" aria-hidden>
          {label}
        </span>
        <SelectField {...{ label, value, onChange, options }} />
      </div>
    );
  }
  const errorText = error instanceof ControlError && error.param === name ? error.message : undefined;
  return <LabelledField {...{ label, note, errorText }}>{inputOf(field, value, onChange)}</LabelledField>;
}

export function LabelledField(props: {
  label: string;
  note?: ReactNode;
  errorText?: string | undefined;
  children: ReactElement;
}) {
  const { label, note, errorText, children } = props;
  return (
    <Field.Root className="field" invalid={errorText !== undefined}>
      <Field.Label className="strong">{label}</Field.Label>
      <Field.Control render={children} />
      {note && <Field.Description className="soft small">{note}</Field.Description>}
      {errorText && (
        <Field.Error className="toned small" data-tone="bad" match>
          {errorText}
        </Field.Error>
      )}
    </Field.Root>
  );
}

const INPUT_ATTRIBUTES: Partial<Record<FieldSpec['type'], ComponentProps<'input'>>> = {
  code: { pattern: '[a-z0-9_]{1,64}', title: 'Lower-case letters, digits and underscores' },
  secret: { type: 'password', autoComplete: 'off' },
  time: { type: 'datetime-local', step: 1 },
};

function inputOf(field: FieldSpec, value: string, onChange: (value: string) => void): ReactElement {
  const { type, isOptional = false, min = 0, max, step = 1, pattern, placeholder, maxLength, accept } = field;
  if (type === 'file') {
    const take = ({ target }: ChangeEvent<HTMLInputElement>) => {
      const reader = new FileReader();
      reader.onload = () => onChange(String(reader.result));
      reader.onerror = () => showErrorToast(reader.error);
      for (const file of target.files ?? []) reader.readAsDataURL(file);
    };
    return <input {...{ className: 'file-input soft', type: 'file', accept }} onChange={take} />;
  }
  const write = ({ target }: ChangeEvent<HTMLInputElement>) => onChange(target.value);
  const plain = { className: 'input', required: !isOptional, value, onChange: write };
  if (type === 'number') return <input {...plain} {...{ type, min, max, step }} />;
  return <input {...plain} {...(INPUT_ATTRIBUTES[type] ?? { pattern, placeholder, maxLength })} dir="auto" />;
}

function Checks({ field: { label, options = [] }, value, onChange }: FormFieldProps) {
  const all = options.flatMap(([one]) => one ?? []);
  const chosen = value.split(' ').filter(Boolean);
  const isAll = chosen.length === all.length;
  const turn = (one: string, isOn: boolean) =>
    onChange(all.filter((each) => (each === one ? isOn : chosen.includes(each))).join(' '));
  return (
    <fieldset className="checks">
      <legend className="row">
        {label}
        <Button text={isAll ? 'None' : 'All'} variant="quiet" onClick={() => onChange(isAll ? '' : all.join(' '))} />
      </legend>
      {all.map((one) => (
        <label key={one} className="row">
          <input type="checkbox" checked={chosen.includes(one)} onChange={({ target }) => turn(one, target.checked)} />
          <code>{one}</code>
        </label>
      ))}
    </fieldset>
  );
}

type Options = readonly (readonly string[])[];

interface SelectFieldProps {
  label: string;
  value: string;
  options: Options;
  onChange: (value: string) => void;
}

interface SelectActionProps extends Omit<SelectFieldProps, 'onChange'> {
  act: (value: string) => Promise<unknown>;
  toast: readonly [title: string, note?: string];
}

export function AutoApplySelect({ act, toast, ...field }: SelectActionProps) {
  const change = useActionMutation(act, () => showToast(toast[0], toast[1], 'good'));
  if (traceSource.value) return optionLabel(field.options, field.value);
  return <SelectField {...field} onChange={(to) => change.mutate(to, { onError: showErrorToast })} />;
}

export function SelectField({ label, value, options, onChange }: SelectFieldProps) {
  const items = options.map(([each = '', text = each]) => ({ value: each, label: text }));
  return (
    <Select.Root items={items} value={value} onValueChange={(chosen) => chosen !== null && onChange(chosen)}>
      <Select.Trigger className="select" aria-label={label}>
        <Select.Value className="cut" />
        <Select.Icon render={<ChevronsUpDown aria-hidden />} />
      </Select.Trigger>
      <Select.Portal>
        <Select.Positioner className="popup-layer" sideOffset={4} alignItemWithTrigger={false}>
          <Select.Popup className="popup">
            <Select.List className="select-list scrolls">
              {options.map(([each = '', text = each, note]) => (
                <Select.Item key={each} value={each} className="option">
                  <Select.ItemText>{text}</Select.ItemText>
                  {note && <span className="soft">{note}</span>}
                </Select.Item>
              ))}
            </Select.List>
          </Select.Popup>
        </Select.Positioner>
      </Select.Portal>
    </Select.Root>
  );
}

export function optionLabel(options: Options, value: string): string {
  return options.find(([each]) => each === value)?.[1] ?? value;
}

export const PLAN_OPTIONS: Options = [
  ['payg', 'Pay as you go', 'videos up to 10 s'],
  ['hobby', 'Hobby', 'videos up to 15 s'],
  ['creator', 'Creator', 'videos up to 20 s'],
  ['studio', 'Studio', 'videos up to 30 s'],
];

export function PlanField({ account: { id, plan: value } }: { account: Account }) {
  const act = (plan: string) => callControl('changeAccount', { id, plan: plan as Account['plan'] });
  const toast = ['Plan changed'] as const;
  return <AutoApplySelect label="Workspace plan" {...{ value, options: PLAN_OPTIONS, act, toast }} />;
}
