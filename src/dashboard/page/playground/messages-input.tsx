import { Plus, X } from 'lucide-react';
import { Button } from '../pieces/page-parts.tsx';
import { SelectField } from '../pieces/select-field.tsx';
import { PictureFile } from './field-input.tsx';

interface TextPart {
  type: 'text';
  text: string;
}

interface PicturePart {
  type: 'image_url';
  image_url: { url: string };
}

/** A message of a chat; one with pictures has parts. */
export interface Turn {
  role: 'system' | 'user' | 'assistant';
  content: string | (TextPart | PicturePart)[];
}

const ROLES = ['system', 'user', 'assistant'].map((role) => ({ value: role, text: role }));

interface MessagesInputProps {
  turns: readonly Turn[];
  onChange: (turns: Turn[]) => void;
}

/** A conversation, turn by turn. */
export function MessagesInput({ turns, onChange }: MessagesInputProps) {
  const put = (position: number, turn: Turn) => onChange(turns.with(position, turn));
  return (
    <div className="stack">
      {turns
        .map((turn, position) => ({ turn, position }))
        .map(({ turn, position }) => (
          <TurnInput
            key={position}
            name={`Message ${position + 1}`}
            turn={turn}
            onChange={(changed) => put(position, changed)}
            onRemove={() => onChange(turns.filter((_, each) => each !== position))}
          />
        ))}
      <div>
        <Button icon={<Plus aria-hidden />} onClick={() => onChange([...turns, { role: 'user', content: '' }])}>
          Add message
        </Button>
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
  const say = (text: string) => onChange({ role, content: contentOf(text, pictures) });
  const show = (shown: PicturePart[]) => onChange({ role, content: contentOf(textOf(content), shown) });
  return (
    <div className="turn framed">
      <div className="turn-head row ruled sunken">
        <SelectField
          label={`${name}, role`}
          value={role}
          options={ROLES}
          onChange={(chosen) =>
            onChange({
              role: chosen as Turn['role'],
              content: chosen === 'user' ? content : textOf(content),
            })
          }
        />
        {pictures.map(({ image_url: { url } }) => (
          <img key={url} src={url} alt="Attached" />
        ))}
        <span className="grow" />
        {role === 'user' && (
          <PictureFile
            label={`${name}, add a picture`}
            onChoose={(url) => show([...pictures, { type: 'image_url', image_url: { url } }])}
          />
        )}
        {pictures.length > 0 && (
          <Button look="quiet" onClick={() => show([])}>
            No pictures
          </Button>
        )}
        <Button look="quiet" icon={<X aria-hidden />} aria-label={`${name}, remove`} onClick={onRemove} />
      </div>
      <textarea
        className="input"
        aria-label={`${name}, text`}
        rows={2}
        dir="auto"
        value={textOf(content)}
        onChange={({ target }) => say(target.value)}
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
