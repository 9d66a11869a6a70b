/**
 * A condition for rows whose text contains each word of a search, in any case of Latin letters, or whose `terms`, a text of
 * words between blanks, contain it as a whole word. It ends with "AND", and is empty without words.
 */
export function wordConditions(text: string, q = '', terms = "''"): [condition: string, values: string[]] {
  const words = q.split(/\s+/).filter(Boolean);
  const each = `(${text} LIKE ? ESCAPE '\\' OR ${terms} LIKE ? ESCAPE '\\') AND `;
  const plain = words.map((word) => word.replace(/[\\%_]/g, '\\$&'));
  return [each.repeat(words.length), plain.flatMap((word) => [`%${word}%`, `% ${word} %`])];
}
