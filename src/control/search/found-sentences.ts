import { Slice } from '../../base/clock/clock.ts';
import type { FoundDoc, SaidDoc } from './indexed-text.ts';
import type { SearchDocs } from './search-docs-store.ts';
import { parseSearch } from './search-query.ts';

/** Of how many records the texts are read at once. */
const AT_ONCE = 100;

/** A sentence about each of what was found for `q`, by its id; read in slices, as a search is. */
export async function foundSentences(
  docs: SearchDocs,
  found: readonly FoundDoc[],
  q: string,
): Promise<Map<string, string>> {
  const sentences = new Map<string, string>();
  const slice = new Slice();
  for (let from = 0; from < found.length; from += AT_ONCE) {
    const ids = found.slice(from, from + AT_ONCE).map(({ id }) => id);
    for (const doc of docs.texts(ids)) sentences.set(doc.id, foundSentence(doc, q));
    await slice.turn();
  }
  return sentences;
}

/** So many characters are shown on either side of a word. */
const AROUND = 50;
const MOST_PIECES = 3;

/** One sentence about a record, with the words by which it was found [I266]. */
function foundSentence(doc: SaidDoc, q: string): string {
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
