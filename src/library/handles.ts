/** The most characters of a handle. */
export const LONGEST_HANDLE = 32;

const HANDLE = /^[A-Za-z0-9_-]{1,32}$/;
/** `@mira`, but neither the tail of `me@mira.example` nor a word longer than a handle. */
const MENTION = /(?<![\w@.-])@([A-Za-z0-9_-]{1,32})(?![A-Za-z0-9_-])/g;

/** The stored form of a handle: lower case, without `@`; undefined for what is no handle. */
export function normalizeHandle(text: string): string | undefined {
  const bare = text.startsWith('@') ? text.slice(1) : text;
  return HANDLE.test(bare) ? bare.toLowerCase() : undefined;
}

/** The handles that a prompt mentions as `@handle`, lower-cased, each once, in order [R164]. */
export function handlesIn(prompt: string): string[] {
  const mentions = [...prompt.matchAll(MENTION)].map(([, handle]) => handle?.toLowerCase() ?? '');
  return [...new Set(mentions)];
}
