import { secretValues } from '../../base/config/secret-values.ts';
import { Mask } from './mask.ts';

/** Masks before it cuts, because half a secret is not recognized. */
export function maskedText(text: string, env?: NodeJS.ProcessEnv): string {
  return new Mask(secretValues(env)).lines(text.split('\n')).join('\n');
}

/** In characters. */
const LONGEST_SECRET = 8192;

/**
 * The last `limit` characters of an unmasked text. It begins at a line or well after the cut, so that it never begins with
 * the rest of a secret.
 */
export function lastPart(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const kept = text.slice(-limit);
  const line = kept.indexOf('\n');
  return line === -1 ? kept.slice(LONGEST_SECRET) : kept.slice(line + 1);
}
