import { SECRET_PREFIXES } from '../../base/database/id-store.ts';

const PREFIXES = Object.values(SECRET_PREFIXES);

const SECRETS = new RegExp(`(${PREFIXES.map(anyhow).join('|')})(?:[A-Za-z0-9_]|\\\\{1,4}u00[3-7][0-9a-fA-F]){4,}`, 'g');

/** A pattern for a text as JSON may contain it: with letters or escapes, even in JSON within JSON [I231]. */
function anyhow(text: string): string {
  return [...text].map((letter) => `(?:${letter}|\\\\{1,4}u00${codeOf(letter)})`).join('');
}

function codeOf(letter: string): string {
  const hex = letter.charCodeAt(0).toString(16);
  return [...hex].map((digit) => `[${digit}${digit.toUpperCase()}]`).join('');
}

const HOOK = /^(\/hooks\/flows\/)[^/?#]+/;

/** Shortens keys and secrets to their prefixes. */
export function redact(text: string): string {
  if (!text.includes('\\u') && !PREFIXES.some((prefix) => text.includes(prefix))) return text;
  return text.replace(SECRETS, '$1…');
}

export function redactPath(path: string): string {
  return redact(path.startsWith('/hooks/') ? path.replace(HOOK, '$1…') : path);
}

/** The longest recorded body: characters of a response, or bytes of a request. */
export const RECORDED_BODY_LIMIT = 16_384;

export function redactBody(text: string, limit = RECORDED_BODY_LIMIT): string {
  const redacted = redact(text.slice(0, limit));
  return text.length > limit ? `${redacted}… [cut: ${text.length} characters in all]` : redacted;
}

export function redactBytes(body: Buffer): string {
  const redacted = redact(body.toString('utf8', 0, RECORDED_BODY_LIMIT));
  return body.length > RECORDED_BODY_LIMIT ? `${redacted}… [cut: ${body.length} bytes in all]` : redacted;
}

export interface PromptTurn {
  role: string;
  text: string;
  images: number;
}

/** Redacts the turns of a prompt, and cuts them: all turns together have the limit of one body. */
export function redactPrompt(turns: readonly PromptTurn[]): PromptTurn[] {
  const kept: PromptTurn[] = [];
  let room = RECORDED_BODY_LIMIT;
  for (const turn of turns) {
    if (room <= 0) return [...kept, { role: 'cut', text: `[${turns.length} turns in all]`, images: 0 }];
    kept.push({ ...turn, text: redactBody(turn.text, room) });
    room -= turn.text.length + turn.role.length;
  }
  return kept;
}

export function redactOptional(list: string | undefined): string | undefined {
  return list && redact(list);
}
