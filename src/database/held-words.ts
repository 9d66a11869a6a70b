/**
 * A condition on rows of which a text holds each word of a search, in whatever case of Latin letters; with it stands
 * "AND". Nothing for a search without words.
 */
export function heldWords(text: string, q = ''): [condition: string, values: string[]] {
  const words = q.split(/\s+/).filter(Boolean);
  const condition = words.map(() => `${text} LIKE ? ESCAPE '\\' AND `).join('');
  return [condition, words.map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`)];
}
