import { createHash } from 'node:crypto';
import type { RequestRow } from './run-record.ts';

/** What of one name was sent in the first plain run, in its order. */
export type Numbering = ReadonlyMap<string, readonly string[]>;

const ID = /\b[a-z]{2,5}_[0-9a-f]{12,}\b/g;

/** `POST /v1/storage/objects/{id}` of the path that was asked for. */
export function requestName({ method, path }: Pick<RequestRow, 'method' | 'path'>): string {
  const [plain = ''] = path.split('?');
  const named = plain.replace(ID, '{id}').replace(/^(\/hooks\/flows\/)[^/]+/, '$1{token}');
  return `${method} ${named}`;
}

/** Two requests with one mark ask for the same: ids and addresses of a run do not count. */
export function bodyMark({ request, path }: Pick<RequestRow, 'request' | 'path'>): string {
  const query = path.split('?')[1] ?? '';
  const text = `${request ?? ''} ${query}`.replace(ID, '{id}').replace(/https?:\/\/[^/"\s]+/g, '{origin}');
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/**
 * Numbers requests of one name by their bodies, as they came in the first plain run; what that run did not have takes a
 * number that it left free in its order, or one after all of them.
 */
export function numberMarks(marks: readonly string[], plain: readonly string[] = []): number[] {
  const free = new Set(plain.keys());
  const numbers: (number | undefined)[] = marks.map((mark) => {
    const at = [...free].find((place) => plain[place] === mark);
    if (at === undefined) return undefined;
    free.delete(at);
    return at + 1;
  });
  const left = [...free].map((at) => at + 1);
  let next = plain.length;
  return numbers.map((number) => {
    if (number !== undefined) return number;
    const open = left.shift();
    if (open !== undefined) return open;
    next += 1;
    return next;
  });
}
