import type { Draft } from './call-draft.ts';
import { FieldInput } from './field-input.tsx';
import type { Price } from './price-line.tsx';
import type { Field, ServiceCall } from './read-document.ts';

/** Where there are many fields: those that are in sight at once. */
const FRONT: Record<string, readonly string[]> = {
  createChatCompletion: ['model', 'messages', 'context', 'mode', 'stream'],
  createVideo: ['model', 'prompt', 'duration', 'seconds', 'resolution', 'aspect', 'audio'],
};

interface BodyFormProps {
  call: ServiceCall;
  draft: Draft;
  /** What the emulator has against the body. */
  refusal: Price['refusal'];
  onChange: (name: string, value: unknown) => void;
}

/** The fields of an operation: of the path, of the query, of the body. */
export function BodyForm({ call, draft, refusal, onChange }: BodyFormProps) {
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
      fault={isAbout(refusal, field.name) ? refusal?.message : undefined}
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

/** A list has faults at its items too: `messages.0.role`. */
function isAbout(refusal: Price['refusal'], name: string): boolean {
  return refusal?.param === name || refusal?.param?.startsWith(`${name}.`) === true;
}
