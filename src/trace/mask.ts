import { redact } from '../journal/redaction.ts';

/** Variables whose values are nobody's business. */
const SECRET_NAME = /KEY|TOKEN|SECRET|PASSWORD/i;
/** What is shorter, or one of these, is no secret, and would be found everywhere. */
const SHORTEST = 6;
const HARMLESS = new Set(['true', 'false', 'undefined', 'default', 'disabled', 'enabled']);

const BEARER = /\b(Bearer\s+)[\w.~+/=-]{4,}/gi;
const HOOK = /(\/hooks\/flows\/)[\w-]+/g;
const MASK = '…';

/** The values that are to be masked wherever they stand, longest first: one may be part of another. */
export function secretValues(env: NodeJS.ProcessEnv): string[] {
  const values = Object.entries(env).flatMap(([name, value]) => (SECRET_NAME.test(name) && value ? [value] : []));
  const secret = values.filter((value) => value.length >= SHORTEST && !HARMLESS.has(value.toLowerCase()));
  return [...new Set(secret)].sort((a, b) => b.length - a.length);
}

/** A text without keys, signing secrets, bearer values, addresses of hooks, and these values. */
export function masked(text: string, secrets: readonly string[] = []): string {
  let plain = redact(text).replace(BEARER, `$1${MASK}`).replace(HOOK, `$1${MASK}`);
  for (const secret of secrets) plain = plain.replaceAll(secret, MASK);
  return plain;
}

/** How deep JSON lies within JSON: a body within a record, and what an answer quotes of it. */
const DEPTH = 4;

/** The same of JSON, in which a value may be spelled with escapes, and more of them the deeper it lies. */
export function maskedJson(json: string, secrets: readonly string[]): string {
  const spelled = secrets.flatMap((secret) => {
    const forms = [secret];
    for (let depth = 0; depth < DEPTH; depth += 1) forms.push(JSON.stringify(forms.at(-1)).slice(1, -1));
    return [...forms, encodeURIComponent(secret)];
  });
  const longestFirst = [...new Set(spelled)].sort((a, b) => b.length - a.length);
  return masked(json, longestFirst.filter(isEscaped));
}

/** Whether it can stand in JSON as it is. */
function isEscaped(text: string): boolean {
  try {
    JSON.parse(`"${text}"`);
    return true;
  } catch {
    return false;
  }
}
