import { renameSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { Slice } from '../../base/clock/clock.ts';
import { type Condition, type Doc, type FoundDoc, KINDS, type Kind, type SaidDoc } from './indexed-text.ts';
import { SearchDocsStore } from './search-docs-store.ts';
import { parseSearch } from './search-query.ts';

/** Of how many records the texts are read at once. */
const AT_ONCE = 100;

/** Where the files of the index lie: the folder of what lasts, and that of what a start clears away. */
export interface SearchFolders {
  path: string;
  temporary: string;
}

/**
 * The index of all records in two files: of requests, and of what the database holds. To forget all of either takes a
 * moment, however much it is: its file is replaced.
 */
export class SearchDocs {
  readonly #requests: IndexFile;
  readonly #state: IndexFile;

  constructor(folders: SearchFolders) {
    this.#requests = new IndexFile(folders, 'search.db', 0);
    this.#state = new IndexFile(folders, 'search-state.db', 1);
  }

  /** All of a file or none. */
  insertAll(docs: readonly Doc[]): void {
    for (const file of this.#files) {
      const own = docs.filter(({ kind }) => this.#fileOf(kind) === file);
      if (own.length > 0) file.store.insertAll(own);
    }
  }

  /** The position and id of the last indexed record of a kind. */
  last(kind: Kind): { position: number; id: string } | undefined {
    return this.#fileOf(kind).store.last(kind);
  }

  counts(): Record<Kind, number> {
    const found = new Map(this.#stores.flatMap((store) => store.counts()).map(({ kind, n }) => [kind, n]));
    return Object.fromEntries(KINDS.map((kind) => [kind, found.get(kind) ?? 0])) as Record<Kind, number>;
  }

  /**
   * Of some kinds, newest first, before a place. It is read in slices: other work goes on meanwhile. `isLate` ends it
   * early, with what was found until then.
   */
  async find(conditions: readonly Condition[], extent: Extent): Promise<FoundDoc[]> {
    const { kinds, limit } = extent;
    const files = this.#files.filter((file) => kinds.some((kind) => this.#fileOf(kind) === file));
    const found: FoundDoc[] = [];
    for (const file of files) found.push(...(await findIn(file, conditions, extent)));
    return found.sort((a, b) => b.place - a.place).slice(0, limit);
  }

  /** A sentence about each of what was found for `q`, by its id; read in slices, as a search is. */
  async sentences(found: readonly FoundDoc[], q: string): Promise<Map<string, string>> {
    const sentences = new Map<string, string>();
    const slice = new Slice();
    for (let from = 0; from < found.length; from += AT_ONCE) {
      const ids = found.slice(from, from + AT_ONCE).map(({ id }) => id);
      for (const doc of this.#stores.flatMap((store) => store.texts(ids))) sentences.set(doc.id, foundSentence(doc, q));
      await slice.turn();
    }
    return sentences;
  }

  placeOf(id: string): number | undefined {
    return this.#requests.store.placeOf(id) ?? this.#state.store.placeOf(id);
  }

  /** Those that led to something (`made`) or that only name it, oldest first. */
  referring(ref: string, made: boolean, limit: number): FoundDoc[] {
    const found = this.#stores.flatMap((store) => store.referring(ref, made, limit));
    return found.sort((a, b) => a.place - b.place).slice(0, limit);
  }

  /** How many requests name each of some ids without having led to it. */
  naming(refs: readonly string[]): Map<string, number> {
    return this.#requests.store.naming(refs);
  }

  /** What there is of a column, the most frequent first. */
  values(column: 'model' | 'path', limit: number): string[] {
    const found = this.#stores.flatMap((store) => store.values(column, limit));
    return [...new Set(found.sort((a, b) => b.n - a.n).map(({ value }) => value))].slice(0, limit);
  }

  /** Forgets requests: those before a position, those of an account, or all. */
  forgetRequests({ before, accountId }: { before?: number; accountId?: string | undefined }): void {
    if (before !== undefined) this.#requests.store.removeBefore(before);
    else if (accountId !== undefined) this.#requests.store.removeOf(accountId);
    else this.#requests.renew();
  }

  /** Forgets what the database held: it was replaced. */
  forgetState(): void {
    this.#state.renew();
  }

  close(): void {
    for (const file of this.#files) file.close();
  }

  get #files(): [IndexFile, IndexFile] {
    return [this.#requests, this.#state];
  }

  get #stores(): SearchDocsStore[] {
    return this.#files.map(({ store }) => store);
  }

  #fileOf(kind: Kind): IndexFile {
    return kind === 'request' ? this.#requests : this.#state;
  }
}

/** Which part of an index is searched, and until when. */
export interface Extent {
  kinds: readonly Kind[];
  before: number;
  limit: number;
  isLate?: (() => boolean) | undefined;
}

/** How many records the first slice of a search has: the next has twice as many where it was quick. */
const FIRST_SLICE = 128;
const QUICK_MS = 4;

async function findIn(
  file: IndexFile,
  conditions: readonly Condition[],
  { before, limit, isLate }: Extent,
): Promise<FoundDoc[]> {
  const found: FoundDoc[] = [];
  const slice = new Slice();
  let count = FIRST_SLICE;
  for (let end = before; found.length < limit && !isLate?.(); ) {
    const floor = file.store.floor(end, count);
    if (floor === undefined) break;
    found.push(...file.store.find(conditions, { before: end, from: floor, limit: limit - found.length }));
    end = floor;
    if (slice.spent < QUICK_MS) count *= 2;
    else if (slice.isOver) count = Math.ceil(count / 2);
    await slice.turn();
  }
  return found;
}

/** One file of the index, opened when it is first needed. */
class IndexFile {
  readonly #file: string;
  readonly #moved: string;
  readonly #turn: number;
  #store: SearchDocsStore | undefined;

  constructor(folders: SearchFolders, name: string, turn: number) {
    this.#file = path.join(folders.path, name);
    this.#moved = path.join(folders.temporary, name);
    this.#turn = turn;
  }

  get store(): SearchDocsStore {
    this.#store ??= new SearchDocsStore(this.#file, this.#turn);
    return this.#store;
  }

  /** Moved away at once and removed in the background: to remove a large file takes long. */
  renew(): void {
    this.close();
    try {
      renameSync(this.#file, this.#moved);
      rm(this.#moved, { force: true }).catch(() => undefined);
    } catch {
      rmSync(this.#file, { force: true });
    }
  }

  close(): void {
    this.#store?.close();
    this.#store = undefined;
  }
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
