/**
 * A condition on rows of which a text holds each word of a search, in whatever case of Latin letters, or of which `terms`,
 * a text of words between blanks, have it as a whole word. Behind it stands "AND"; it is empty for no words.
 */
export function wordConditions(text: string, q = '', terms = "''"): [condition: string, values: string[]] {
  const words = q.split(/\s+/).filter(Boolean);
  const each = `(${text} LIKE ? ESCAPE '\\' OR ${terms} LIKE ? ESCAPE '\\') AND `;
  const plain = words.map((word) => word.replace(/[\\%_]/g, '\\$&'));
  return [each.repeat(words.length), plain.flatMap((word) => [`%${word}%`, `% ${word} %`])];
}
