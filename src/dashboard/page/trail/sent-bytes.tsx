import type { RequestRecord } from '../data/records.ts';
import { Section } from '../pieces/page-parts.tsx';
import { JsonView } from '../pieces/values.tsx';

/** Longer is not drawn at once: it would hold the page. */
const MOST_DRAWN = 40_000;

export function Bytes({ title, label, value }: { title: string; label: string; value: unknown }) {
  const long = typeof value === 'string' && value.length > MOST_DRAWN;
  return (
    <div>
      <h3 className="soft small">{title}</h3>
      <JsonView value={long ? `${value.slice(0, MOST_DRAWN)}…` : value} label={label} />
    </div>
  );
}

/** What a receiver said, laid out where it is JSON. */
export function readBody(body: string | null): unknown {
  try {
    return JSON.parse(body ?? 'null');
  } catch {
    return body;
  }
}

type AnswerParts = NonNullable<RequestRecord['truth']>;

/** An answer as it is compared: what lies leave alone differs in no header but its length. */
function partsOf({ status, headers, body }: AnswerParts): object {
  const { 'content-length': _length, etag: _etag, ...others } = headers;
  return { status, headers: others, body: readBody(body) };
}

/** An answer that a lie has changed, beside the one that is true. */
export function AnswersBeside({ lie, told, truth }: { lie: string; told: AnswerParts; truth: AnswerParts }) {
  return <LieBesideTruth lie={lie} told={partsOf(told)} truth={partsOf(truth)} />;
}

/** What left in place of what is true, side by side, with the fields in which they differ. */
export function LieBesideTruth({ lie, told, truth }: { lie: string; told: object; truth: object }) {
  const changed = changedPaths(told, truth);
  return (
    <Section title="This emulator lied on purpose">
      <p>
        <span className="badge" data-tone="bad">
          {lie}
        </span>{' '}
        changed {changed.slice(0, MOST_CHANGED).join(', ') || 'the spelling alone'}
        {changed.length > MOST_CHANGED && ` and ${changed.length - MOST_CHANGED} more`}
      </p>
      <div className="tiles">
        <Bytes title="What was sent under the lie" label="Sent under the lie" value={told} />
        <Bytes title="What is true" label="What is true" value={truth} />
      </div>
    </Section>
  );
}

const MOST_CHANGED = 8;

/** The dotted paths at which two values differ, the deepest that both have. */
function changedPaths(told: unknown, truth: unknown, path = ''): string[] {
  if (JSON.stringify(told) === JSON.stringify(truth)) return [];
  const isDeep = [told, truth].every((each) => typeof each === 'object' && each !== null);
  if (!isDeep) return [path || 'all of it'];
  const names = new Set([...Object.keys(Object(told)), ...Object.keys(Object(truth))]);
  return [...names].flatMap((name) =>
    changedPaths(Object(told)[name], Object(truth)[name], path === '' ? name : `${path}.${name}`),
  );
}
