import { secretValues } from '../../base/config/secret-values.ts';
import { Mask } from './mask.ts';

/** A text without the secrets of this environment: it is masked before it is cut, since half a secret is not recognised. */
export function maskedText(text: string, env?: NodeJS.ProcessEnv): string {
  return new Mask(secretValues(env)).lines(text.split('\n')).join('\n');
}

/** Longer than a secret in one line may be, in characters. */
const LONGEST_SECRET = 8192;

/**
 * The last `limit` characters of a text that is not masked yet. It begins with a whole line, or far behind the cut, so
 * that it does not begin with the rest of a secret.
 */
export function lastPart(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const kept = text.slice(-limit);
  const line = kept.indexOf('\n');
  return line === -1 ? kept.slice(LONGEST_SECRET) : kept.slice(line + 1);
}
