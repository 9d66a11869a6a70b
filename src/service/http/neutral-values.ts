import { isDeepStrictEqual } from 'node:util';
import { valueAt } from './issue-text.ts';

/** Unknown fields by their path, such as `messages.*.name`, with the values that change nothing. Strict mode accepts these, and empty ones. */
export type NeutralValues = Readonly<Record<string, readonly unknown[] | 'any'>>;

const OF_EVERY_OPERATION: NeutralValues = { user: 'any', metadata: 'any', n: [1], stream: [false] };

export function isNeutralValue(path: readonly PropertyKey[], input: unknown, neutral: NeutralValues = {}): boolean {
  const name = path.map((step) => (typeof step === 'number' ? '*' : String(step))).join('.');
  const table = [neutral, OF_EVERY_OPERATION].find((each) => Object.hasOwn(each, name));
  const values = table?.[name];
  if (values === undefined || values === 'any') return values === 'any';
  const value = valueAt(input, path);
  // Also compared as text, because the value of a form is a text.
  return isEmpty(value) || values.some((each) => isDeepStrictEqual(each, value) || String(each) === value);
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === null || value === '';
  return Object.keys(value).length === 0;
}
