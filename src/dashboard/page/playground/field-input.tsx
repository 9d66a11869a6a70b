import { ImagePlus, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useList } from '../data/queries.ts';
import { Choices } from '../pieces/choices.tsx';
import { FileButton } from '../pieces/file-button.tsx';
import { dataUrlOf } from '../pieces/form-fields.tsx';
import { Button } from '../pieces/page-parts.tsx';
import { SelectField } from '../pieces/select-field.tsx';
import { sayError } from '../pieces/toast.tsx';
import { byteSize } from '../pieces/values.tsx';
import { MessagesInput, type Turn } from './messages-input.tsx';
import type { Field } from './read-document.ts';

interface FieldInputProps {
  operation: string;
  field: Field;
  value: unknown;
  /** What the emulator has against it. */
  fault: string | undefined;
  onChange: (value: unknown) => void;
}

/** One field of a form, with its name in the API. */
export function FieldInput({ operation, field, value, fault, onChange }: FieldInputProps) {
  const { name, note, isRequired } = field;
  const id = `${operation}-${name}`;
  const isLabelled = ['text', 'long text', 'number', 'texts', 'file'].includes(field.kind);
  const title = (
    <>
      <code>{name}</code>
      {isRequired && <span className="soft"> required</span>}
    </>
  );
  return (
    <div className="field" role="group" aria-label={name}>
      {isLabelled && name !== 'model' ? <label htmlFor={id}>{title}</label> : <span>{title}</span>}
      <Control {...{ operation, field, value, onChange, id }} />
      {fault ? (
        <p className="toned small" data-tone="bad">
          {fault}
        </p>
      ) : (
        <p className="soft small">{note}</p>
      )}
    </div>
  );
}

type ControlProps = Omit<FieldInputProps, 'fault'> & { id: string };

const TRUTHS = [
  ['', 'Left out'],
  ['true', 'true'],
  ['false', 'false'],
] as const;

const CONTROLS: Record<Field['kind'], (props: ControlProps) => ReactNode> = {
  text: TextControl,
  'long text': ({ id, value, onChange }) => (
    <textarea
      id={id}
      className="input"
      rows={3}
      dir="auto"
      value={String(value ?? '')}
      onChange={({ target }) => onChange(target.value || undefined)}
    />
  ),
  number: NumberControl,
  truth: ({ field, value, onChange }) => (
    <Choices
      label={field.name}
      value={value === undefined ? '' : String(value)}
      options={TRUTHS}
      onChange={(chosen) => onChange(chosen === '' ? undefined : chosen === 'true')}
    />
  ),
  choice: ({ field, value, onChange }) => (
    <SelectField
      label={field.name}
      value={String(value ?? '')}
      options={[{ value: '', text: 'Left out' }, ...field.options.map(plain)]}
      onChange={(chosen) => onChange(chosen || undefined)}
    />
  ),
  choices: ChoicesControl,
  texts: ({ id, value, onChange }) => (
    <textarea
      id={id}
      className="input"
      rows={2}
      placeholder="One a line"
      value={listOf(value).join('\n')}
      onChange={({ target }) => onChange(target.value === '' ? undefined : target.value.split('\n'))}
    />
  ),
  picture: ({ field, value, onChange }) => (
    <PictureInput
      label={field.name}
      value={typeof value === 'string' ? value : ''}
      onChange={(url) => onChange(url || undefined)}
    />
  ),
  messages: ({ value, onChange }) => <MessagesInput turns={(value as Turn[] | undefined) ?? []} onChange={onChange} />,
  file: ({ id, onChange }) => (
    <input id={id} className="file-input soft" type="file" onChange={({ target }) => onChange(target.files?.[0])} />
  ),
};

function Control(props: ControlProps) {
  const Kind = CONTROLS[props.field.kind];
  return <Kind {...props} />;
}

function TextControl({ id, operation, field, value, onChange }: ControlProps) {
  if (field.name === 'model') {
    return <ModelInput {...{ operation, value, onChange }} isRequired={field.isRequired} />;
  }
  return (
    <input
      id={id}
      className="input"
      value={String(value ?? '')}
      onChange={({ target }) => onChange(target.value || undefined)}
    />
  );
}

function NumberControl({ id, field: { min, max, step }, value, onChange }: ControlProps) {
  return (
    <input
      id={id}
      className="input"
      type="number"
      {...{ min, max }}
      step={step ?? 'any'}
      value={value === undefined ? '' : Number(value)}
      onChange={({ target }) => onChange(target.value === '' ? undefined : target.valueAsNumber)}
    />
  );
}

function ChoicesControl({ field, value, onChange }: ControlProps) {
  const chosen = listOf(value);
  return (
    <div className="checks">
      {field.options.map((option) => (
        <label key={option} className="row">
          <input
            type="checkbox"
            checked={chosen.includes(option)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, option] : chosen.filter((each) => each !== option))
            }
          />
          {option}
        </label>
      ))}
    </div>
  );
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function plain(value: string) {
  return { value, text: value };
}

interface ListedModel {
  id: string;
  kind: string;
  pricing: string;
}

/** Of which kind the model of an operation is. */
const KINDS: Record<string, string> = {
  createChatCompletion: 'chat',
  createImage: 'image',
  createVideo: 'video',
  createSpeech: 'speech',
  createTranscription: 'transcription',
  createSong: 'music',
};

interface ModelInputProps {
  operation: string;
  value: unknown;
  isRequired: boolean;
  onChange: (value: unknown) => void;
}

/** A model of the kind that an operation takes, each with its price. */
function ModelInput({ operation, value, isRequired, onChange }: ModelInputProps) {
  const { data: models = [] } = useList<ListedModel>('/models');
  const fitting = models.filter(({ kind }) => kind === KINDS[operation]);
  const options = fitting.map(({ id, pricing }) => ({
    value: id,
    text: id,
    note: shortened(pricing),
  }));
  const none = isRequired ? [] : [{ value: '', text: 'Left out' }];
  return (
    <SelectField
      label="model"
      value={String(value ?? '')}
      options={[...none, ...options]}
      onChange={(chosen) => onChange(chosen || undefined)}
    />
  );
}

function shortened(pricing: string): string {
  return pricing.split(';')[0]?.replace('credits per', 'cr.') ?? '';
}

interface PictureInputProps {
  label: string;
  /** A URL or data URL; empty for none. */
  value: string;
  onChange: (url: string) => void;
}

/** A picture by its URL, or a file as a data URL. */
function PictureInput({ label, value, onChange }: PictureInputProps) {
  if (value.startsWith('data:')) {
    return (
      <div className="picture-input row">
        <img src={value} alt={`The file for ${label}`} />
        <span className="soft">{byteSize(Math.round(value.length * 0.75))}</span>
        <Button icon={<X aria-hidden />} aria-label={`Take ${label} away`} onClick={() => onChange('')} />
      </div>
    );
  }
  return (
    <div className="picture-input row">
      <input
        className="input"
        aria-label={`${label}, a URL`}
        placeholder="https://…"
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      <PictureFile label={`Choose a file for ${label}`} onChoose={onChange} />
    </div>
  );
}

interface PictureFileProps {
  label: string;
  onChoose: (dataUrl: string) => void;
}

/** A button that takes a picture from the disk. */
export function PictureFile({ label, onChoose }: PictureFileProps) {
  return (
    <FileButton
      label={label}
      icon={ImagePlus}
      accept="image/*"
      onChoose={([file]) => void (file && dataUrlOf(file).then(onChoose, sayError))}
    />
  );
}
