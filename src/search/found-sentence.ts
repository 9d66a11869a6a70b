import type { SaidDoc } from './indexed-text.ts';
import { parseSearch } from './search-query.ts';

/** So many characters are shown on either side of a word. */
const AROUND = 50;
const MOST_PIECES = 3;

/** One sentence about a record, with the words by which it was found [I266]. */
export function foundSentence(doc: SaidDoc, q: string): string {
  const head = headOf(doc);
  const { words } = parseSearch(q, 0);
  const wanted = words.map((word) => word.toLowerCase().normalize('NFC')).filter((word) => !head.includes(word));
  const pieces: string[] = [];
  for (const word of wanted) {
    if (pieces.length === MOST_PIECES || pieces.some((piece) => piece.includes(word))) continue;
    const piece = pieceAround(doc.text, word);
    if (piece !== undefined) pieces.push(piece);
  }
  return `${[head, ...pieces.map((piece) => `“${piece}”`)].join(': ')}.`;
}

function headOf({ kind, id, status, model, path }: SaidDoc): string {
  const parts = [
    path === null ? '' : ` of ${path}`,
    model === null ? '' : ` by ${model}`,
    status === null ? '' : `, answered ${status}`,
  ];
  return `${kind[0]?.toUpperCase()}${kind.slice(1)} ${id}${parts.join('')}`;
}

/** The words around one, of its own line; undefined where the text has it not. */
function pieceAround(text: string, word: string): string | undefined {
  const at = text.indexOf(word);
  if (at === -1) return undefined;
  const lineStart = text.lastIndexOf('\n', at) + 1;
  const lineEnd = text.indexOf('\n', at + word.length);
  const end = lineEnd === -1 ? text.length : lineEnd;
  const from = Math.max(lineStart, at - AROUND);
  const to = Math.min(end, at + word.length + AROUND);
  const piece = text.slice(from, to).toWellFormed().replace(/\s/g, ' ').trim();
  return `${from > lineStart ? '…' : ''}${piece}${to < end ? '…' : ''}`;
}
