/** A single word is a line for the shell; several are words of a command. */
export function shellText(words: readonly string[]): string {
  const [only = ''] = words;
  if (words.length === 1) return only;
  return words.map(quotedForShell).join(' ');
}

/** A word as a shell reads it unchanged. */
export function quotedForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
