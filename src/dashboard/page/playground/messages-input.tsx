import { ImagePlus, Plus, X } from 'lucide-react';
import { dataUrlOf, SelectField } from '../pieces/form-field.tsx';
import { Button, FileButton, showError } from '../pieces/page-parts.tsx';
import { byteSize } from '../pieces/values.tsx';

interface PicturePart {
  type: 'image_url';
  image_url: { url: string };
}

/** A message of a chat; one with pictures has parts. */
export interface Turn {
  role: 'system' | 'user' | 'assistant';
  content: string | ({ type: 'text'; text: string } | PicturePart)[];
}

const ROLES = [['system'], ['user'], ['assistant']];

/** A conversation, turn by turn. */
export function MessagesInput({ turns, onChange }: { turns: readonly Turn[]; onChange: (turns: Turn[]) => void }) {
  const numbered = turns.map((turn, position) => ({ turn, position }));
  return (
    <div className="stack">
      {numbered.map(({ turn, position }) => (
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
  const showToast = (text: string) => onChange({ role, content: contentOf(text, pictures) });
  const show = (shown: PicturePart[]) => onChange({ role, content: contentOf(textOf(content), shown) });
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
            onChoose={(url) => show([...pictures, { type: 'image_url', image_url: { url } }])}
          />
        )}
        {pictures.length > 0 && <Button text="No pictures" variant="quiet" onClick={() => show([])} />}
        <Button variant="quiet" icon={X} aria-label={`${name}, remove`} onClick={onRemove} />
      </div>
      <textarea
        className="input"
        aria-label={`${name}, text`}
        rows={2}
        dir="auto"
        value={textOf(content)}
        onChange={({ target }) => showToast(target.value)}
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

interface PictureInputProps {
  label: string;
  /** A URL or data URL; empty for none. */
  value: string;
  onChange: (url: string) => void;
}

/** A picture by its URL, or a file as a data URL. */
export function PictureInput({ label, value, onChange }: PictureInputProps) {
  if (value.startsWith('data:')) {
    return (
      <div className="row">
        <img className="shot" src={value} alt={`The file for ${label}`} style={{ width: 28, height: 28 }} />
        <span className="soft">{byteSize(Math.round(value.length * 0.75))}</span>
        <Button icon={X} aria-label={`Take ${label} away`} onClick={() => onChange('')} />
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

/** A button that takes a picture from the disk. */
function PictureFile({ label, onChoose }: { label: string; onChoose: (dataUrl: string) => void }) {
  return (
    <FileButton
      label={label}
      icon={ImagePlus}
      accept="image/*"
      onChoose={([file]) => void (file && dataUrlOf(file).then(onChoose, showError))}
    />
  );
}
