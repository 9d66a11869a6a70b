import { ImagePlus, Plus, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useList } from '../data/queries.ts';
import { controlOf, dataUrlOf, SelectField } from '../pieces/form.tsx';
import { Button, FileButton, showError } from '../pieces/page-parts.tsx';
import { byteSize } from '../pieces/values.tsx';
import type { Draft, Field, ServiceCall } from './drafted-call.tsx';

/** Where there are many fields: those that are in sight at once. */
const FRONT: Record<string, readonly string[]> = {
  createChatCompletion: ['model', 'messages', 'context', 'mode', 'stream'],
  createVideo: ['model', 'prompt', 'duration', 'seconds', 'resolution', 'aspect', 'audio'],
};

interface BodyFormProps {
  call: ServiceCall;
  draft: Draft;
  onChange: (name: string, value: unknown) => void;
}

export function BodyForm({ call, draft, onChange }: BodyFormProps) {
  const front = FRONT[call.id];
  const isFront = ({ name }: Field) => !front || front.includes(name);
  const rank = ({ name }: Field) => (front ? front.indexOf(name) : 0);
  const shown = call.fields.filter(isFront).toSorted((a, b) => rank(a) - rank(b));
  const hidden = call.fields.filter((field) => !isFront(field));
  const input = (field: Field) => (
    <FieldInput
      key={field.name}
      operation={call.id}
      field={field}
      value={draft[field.name]}
      onChange={(value) => onChange(field.name, value)}
    />
  );
  return (
    <div className="body-form stack">
      {[...call.params, ...shown].map(input)}
      {hidden.length > 0 && (
        <details open={hidden.some(({ name }) => draft[name] !== undefined) || undefined}>
          <summary>{hidden.length} more fields</summary>
          <div className="body-form stack">{hidden.map(input)}</div>
        </details>
      )}
    </div>
  );
}

interface FieldInputProps {
  operation: string;
  field: Field;
  value: unknown;
  onChange: (value: unknown) => void;
}

const LABELLED = ['text', 'long', 'number', 'file'];
const OWN = ['picture', 'messages'];

function FieldInput(props: FieldInputProps) {
  const { name, note, isRequired, type, as } = props.field;
  const id = `${props.operation}-${name}`;
  const title = (
    <>
      <code>{name}</code>
      {isRequired && <span className="soft"> required</span>}
    </>
  );
  const isLabelled = LABELLED.includes(type) && !OWN.includes(as) && name !== 'model';
  return (
    <div className="field" role="group" aria-label={name}>
      {isLabelled ? <label htmlFor={id}>{title}</label> : <span>{title}</span>}
      <Control {...props} id={id} />
      <p className="soft small">{note}</p>
    </div>
  );
}

type ControlProps = FieldInputProps & { id: string };

const READ: Partial<Record<Field['as'], (text: string) => unknown>> = {
  number: Number,
  boolean: (text) => text === 'true',
  words: (text) => text.split(' '),
  lines: (text) => text.split('\n'),
};

function Control(props: ControlProps): ReactNode {
  const { field, value, onChange, id } = props;
  const { name, as } = field;
  if (name === 'model') return <ModelInput {...props} />;
  if (as === 'messages') return <MessagesInput turns={(value as Turn[] | undefined) ?? []} onChange={onChange} />;
  if (as === 'file') {
    return (
      <input id={id} className="file-input soft" type="file" onChange={({ target }) => onChange(target.files?.[0])} />
    );
  }
  const text = Array.isArray(value) ? value.join(as === 'lines' ? '\n' : ' ') : String(value ?? '');
  const put = (written: string) => onChange(written === '' ? undefined : (READ[as]?.(written) ?? written));
  if (as === 'picture') return <PictureInput label={name} value={text} onChange={put} />;
  return controlOf(field, text, put, id);
}

const KINDS: Record<string, string> = {
  createChatCompletion: 'chat',
  createImage: 'image',
  createVideo: 'video',
  createSpeech: 'speech',
  createTranscription: 'transcription',
  createSong: 'music',
};

function ModelInput({ operation, field, value, onChange }: ControlProps) {
  const { data: models = [] } = useList<Record<'id' | 'kind' | 'pricing', string>>('/models');
  const own = models.filter(({ kind }) => kind === KINDS[operation]);
  const priced = own.map(({ id, pricing }) => [id, id, pricing.split(';')[0]?.replace('credits per', 'cr.') ?? '']);
  const options = field.isRequired ? priced : [['', 'Not set'], ...priced];
  return controlOf({ ...field, type: 'options', options }, String(value ?? ''), (id) => onChange(id || undefined));
}

interface PicturePart {
  type: 'image_url';
  image_url: { url: string };
}

/** A message of a chat; one with pictures has parts. */
interface Turn {
  role: 'system' | 'user' | 'assistant';
  content: string | ({ type: 'text'; text: string } | PicturePart)[];
}

const ROLES = [['system'], ['user'], ['assistant']];

function MessagesInput({ turns, onChange }: { turns: readonly Turn[]; onChange: (turns: Turn[]) => void }) {
  return (
    <div className="stack">
      {[...turns.entries()].map(([position, turn]) => (
        <TurnInput
          key={position}
          {...{ name: `Message ${position + 1}`, turn }}
          onChange={(changed) => onChange(turns.with(position, changed))}
          onRemove={() => onChange(turns.toSpliced(position, 1))}
        />
      ))}
      <div>
        <Button text="Add message" icon={Plus} onClick={() => onChange([...turns, { role: 'user', content: '' }])} />
      </div>
    </div>
  );
}

interface TurnInputProps {
  name: string;
  turn: Turn;
  onChange: (turn: Turn) => void;
  onRemove: () => void;
}

function TurnInput({ name, turn, onChange, onRemove }: TurnInputProps) {
  const { role, content } = turn;
  const pictures = picturesOf(content);
  const write = (text: string) => onChange({ role, content: contentOf(text, pictures) });
  const attach = (shown: PicturePart[]) => onChange({ role, content: contentOf(textOf(content), shown) });
  return (
    <div className="turn framed">
      <div className="row ruled sunken">
        <SelectField
          label={`${name}, role`}
          value={role}
          options={ROLES}
          onChange={(to) => onChange({ role: to as Turn['role'], content: to === 'user' ? content : textOf(content) })}
        />
        {pictures.map(({ image_url: { url } }) => (
          <img key={url} className="shot" src={url} alt="Attached" style={{ width: 28, height: 28 }} />
        ))}
        <span className="grow" />
        {role === 'user' && (
          <PictureFile
            label={`${name}, add a picture`}
            onChoose={(url) => attach([...pictures, { type: 'image_url', image_url: { url } }])}
          />
        )}
        {pictures.length > 0 && <Button text="No pictures" variant="quiet" onClick={() => attach([])} />}
        <Button variant="quiet" icon={X} text={`${name}, remove`} isSmall onClick={onRemove} />
      </div>
      <textarea
        className="input"
        aria-label={`${name}, text`}
        rows={2}
        dir="auto"
        value={textOf(content)}
        onChange={({ target }) => write(target.value)}
      />
    </div>
  );
}

function textOf(content: Turn['content']): string {
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function picturesOf(content: Turn['content']): PicturePart[] {
  if (typeof content === 'string') return [];
  return content.flatMap((part) => (part.type === 'image_url' ? [part] : []));
}

function contentOf(text: string, pictures: PicturePart[]): Turn['content'] {
  return pictures.length === 0 ? text : [{ type: 'text', text }, ...pictures];
}

/** Its value is a URL or data URL; empty for none. */
function PictureInput(props: { label: string; value: string; onChange: (url: string) => void }) {
  const { label, value, onChange } = props;
  if (value.startsWith('data:')) {
    return (
      <div className="row">
        <img className="shot" src={value} alt={`The file for ${label}`} style={{ width: 28, height: 28 }} />
        <span className="soft">{byteSize(Math.round(value.length * 0.75))}</span>
        <Button icon={X} text={`Take ${label} away`} isSmall onClick={() => onChange('')} />
      </div>
    );
  }
  return (
    <div className="row">
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

function PictureFile({ label, onChoose }: { label: string; onChoose: (dataUrl: string) => void }) {
  return (
    <FileButton
      {...{ label, text: label, isSmall: true, icon: ImagePlus }}
      accept="image/*"
      onChoose={([file]) => void (file && dataUrlOf(file).then(onChoose, showError))}
    />
  );
}
