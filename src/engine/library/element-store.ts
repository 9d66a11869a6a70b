import type { Database } from '../../base/database/database.ts';
import { nextId } from '../../base/database/id-store.ts';
import { conditionsWithValues, resolveCursorPosition, wordConditions } from '../../base/database/list-queries.ts';
import type { Reader } from '../../base/database/reader.ts';
import { integer, json, type RowOf, rowId, table, text } from '../../base/database/table.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { EmulatorError, invalidRequestError, quoted } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import type { ClipElement } from '../../media/render-request.ts';
import { extensionOfContentType, findFile } from '../storage/file-store.ts';
import type { Files } from '../storage/files.ts';
import type { ReferenceMediaReader } from '../storage/references.ts';
import { deleteFileUse, insertFileUse } from './library-store.ts';

/** `sha256` is the hash of a file. `standIn` is the hash of a URL that is never fetched. */
export type ElementMedia = { sha256: string } | { standIn: string };

export const elements = table('elements', {
  position: rowId,
  id: text,
  accountId: text,
  /** The handle in lower case, unique within its account. */
  handle: text,
  kind: text,
  name: text,
  picture: json<ElementMedia>().nullable(),
  voice: json<ElementMedia>().nullable(),
  created: integer,
});

export type Element = RowOf<typeof elements>;

export function findElement(db: Reader, id: string): Element | undefined {
  return elements.get(db, `${elements.select} WHERE id = ?`, id);
}

function elementByHandle(db: Reader, accountId: string, handle: string): Element | undefined {
  return elements.get(db, `${elements.select} WHERE account_id = ? AND handle = ?`, accountId, handle);
}

const SAID = "(id || ' ' || handle || ' ' || name || ' ' || kind || ' ' || account_id)";

const DEFAULT_LIMIT = 1000;

interface ElementPage {
  accountId?: string;
  limit?: number;
  after?: string;
  q?: string;
}

export function listElementsPage(db: Reader, page: ElementPage = {}): Element[] {
  const { accountId, limit = DEFAULT_LIMIT, after, q } = page;
  const [owned, owner] = conditionsWithValues(['account_id = ?', accountId]);
  const [held, words] = wordConditions(SAID, q);
  const sql = `${elements.select} WHERE ${owned}${held}position < ? ORDER BY position DESC LIMIT ?`;
  return elements.all(db, sql, ...owner, ...words, resolveCursorPosition(db, 'elements', after, 'an element'), limit);
}

export function requireElement(db: Reader, id: string): Element {
  const element = findElement(db, id);
  if (element) return element;
  throw new EmulatorError('not_found', `There is no element ${quoted(id)}. GET /_emulator/elements lists them.`);
}

export interface FileInfo {
  file: string;
  name: string;
  bytes: number;
  contentType: string;
}

/** Returns the file with its name in the CDN URL, such as `picture.png`. Undefined for a URL that is never fetched. */
export function findElementFile(db: Reader, given: ElementMedia, what: string): FileInfo | undefined {
  const file = 'sha256' in given ? findFile(db, given.sha256) : undefined;
  if (!file) return undefined;
  const { name, bytes, contentType } = file;
  return { file: name, name: `${what}.${extensionOfContentType(contentType)}`, bytes, contentType };
}

interface ElementParts {
  database: Database;
  random: Random;
  storage: { files: Files; references: ReferenceMediaReader };
}

interface NewElement {
  /** 1 to 32 ASCII letters, digits, dashes and underscores, optionally after an @. Stored in lower case, without the @. */
  handle: string;
  kind: string;
  name: string;
  /** A data URL, a CDN URL of the emulator, or any other URL, which is never fetched. */
  image?: string | null | undefined;
  /** A URL of a sound, as for `image`. Only an element of kind `character` may have a voice. */
  voice?: string | null | undefined;
}

/** Throws `invalid_request` for a bad or taken handle, a bad file, or a voice of an element that is not a `character`. */
export async function addElement(parts: ElementParts, accountId: string, wanted: NewElement): Promise<Element> {
  const handle = requireHandle(wanted.handle);
  const { kind, name, image, voice } = wanted;
  const { references, files } = parts.storage;
  return files.withPins(async (pins) => {
    const given = {
      picture: await readGivenFile(references, image, { param: 'image', kind: 'picture', pins }),
      voice: await readGivenFile(references, voice, { param: 'voice', kind: 'voice', pins }),
    };
    return parts.database.transact((tx) => {
      return insertElement(tx, parts.random, { accountId, handle, kind, name, ...given });
    });
  });
}

/** Returns the file without its path, because the data folder may be moved. */
async function readGivenFile(
  references: ReferenceMediaReader,
  url: string | null | undefined,
  context: Parameters<ReferenceMediaReader['read']>[1],
): Promise<ElementMedia | null> {
  if (!url) return null;
  const file = await references.read(url, context);
  return 'sha256' in file ? { sha256: file.sha256 } : file;
}

function insertElement(tx: Transaction, random: Random, wanted: Omit<Element, 'position' | 'id' | 'created'>): Element {
  requireFree(tx, wanted);
  requireSpeaker(wanted);
  const row = { id: nextId(tx, random, 'element', wanted.accountId), ...wanted, created: tx.now };
  const element = { ...row, position: elements.insert(tx, row) };
  for (const file of filesOf(element)) insertFileUse(tx, file, element.id);
  return element;
}

/** Renders that show the element stay as they are, and keep its picture. Throws `not_found`. */
export function deleteStoredElement({ database, storage }: ElementParts, id: string): Promise<void> {
  return database.transact((tx) => {
    const element = requireElement(tx, id);
    tx.run('DELETE FROM elements WHERE id = ?', id);
    for (const file of filesOf(element)) {
      deleteFileUse(tx, file, id);
      storage.files.collect(tx, file);
    }
  });
}

type Resolved = { elements: Element[] } | { unknown: number };

/** Each entry is an id or a handle, with or without `@` [I115]. */
export function resolveElements(db: Reader, accountId: string, entries: string[]): Resolved {
  const found = entries.map((entry) => named(db, accountId, entry));
  const unknown = found.indexOf(undefined);
  if (unknown >= 0) return { unknown };
  return { elements: found.filter((element) => element !== undefined) };
}

export function toClipElement(files: Files, { handle, name, kind, picture }: Element): ClipElement {
  if (!picture) return { handle, name, kind };
  if ('standIn' in picture) return { handle, name, kind, picture };
  const { sha256 } = picture;
  return { handle, name, kind, picture: { sha256, path: files.path(sha256) } };
}

const MAX_HANDLE = 32;

const HANDLE = /^[A-Za-z0-9_-]{1,32}$/;
/** Matches `@mira`, but neither the tail of `me@mira.example` nor a word longer than a handle. */
const MENTION = /(?<![\w@.-])@([A-Za-z0-9_-]{1,32})(?![A-Za-z0-9_-])/g;

function normalizeHandle(text: string): string | undefined {
  const bare = text.startsWith('@') ? text.slice(1) : text;
  return HANDLE.test(bare) ? bare.toLowerCase() : undefined;
}

/** Returns the handles in lower case, each once, in the order of the prompt [R164]. */
export function findMentionedHandles(prompt: string): string[] {
  const mentions = [...prompt.matchAll(MENTION)].map(([, handle]) => handle?.toLowerCase() ?? '');
  return [...new Set(mentions)];
}

function requireHandle(text: string): string {
  const handle = normalizeHandle(text);
  if (handle) return handle;
  throw invalidRequestError(
    'handle',
    `handle must be 1 to ${MAX_HANDLE} letters, digits, dashes or underscores, not ${quoted(text)}. A prompt mentions it as @handle.`,
  );
}

function requireFree(db: Reader, { accountId, handle }: Pick<Element, 'accountId' | 'handle'>) {
  const taken = elementByHandle(db, accountId, handle);
  if (!taken) return;
  throw invalidRequestError(
    'handle',
    `handle must be unique within the account; @${handle} is the handle of ${taken.id} already. Choose another one.`,
  );
}

function requireSpeaker({ kind, voice }: Pick<Element, 'kind' | 'voice'>): void {
  if (!voice || kind === 'character') return;
  throw invalidRequestError(
    'voice',
    `voice is only for the kind "character", and this element is of kind ${JSON.stringify(kind)}. Leave it out, or make the element a character.`,
  );
}

function named(db: Reader, accountId: string, entry: string): Element | undefined {
  const found = findElement(db, entry);
  if (found?.accountId === accountId) return found;
  const handle = normalizeHandle(entry);
  return handle === undefined ? undefined : elementByHandle(db, accountId, handle);
}

function filesOf({ picture, voice }: Element): string[] {
  return [picture, voice].flatMap((file) => (file && 'sha256' in file ? [file.sha256] : []));
}
