import type { Database } from '../../base/database/database.ts';
import { nextId } from '../../base/database/id-store.ts';
import { findDeletedRecord, findPosition, unknownAfterError } from '../../base/database/list-queries.ts';
import type { Reader } from '../../base/database/reader.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { EmulatorError, invalid, quoted } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import type { Figure } from '../../media/render-request.ts';
import type { FilePins, Files } from '../storage/files.ts';
import type { References } from '../storage/references.ts';
import {
  deleteElement,
  type Element,
  type ElementFile,
  elementByHandle,
  elements,
  elementsBefore,
  findElement,
} from './element-store.ts';
import { deletePicture, insertPicture } from './library-store.ts';

/** `unknown` is the index of the first unknown entry. */
type Resolved = { elements: Element[] } | { unknown: number };

export class Elements {
  readonly #db: Database;
  readonly #random: Random;
  readonly #files: Files;
  readonly #references: References;

  constructor(parts: { db: Database; random: Random; files: Files; references: References }) {
    this.#db = parts.db;
    this.#random = parts.random;
    this.#files = parts.files;
    this.#references = parts.references;
  }

  /** Throws `invalid_request` for an invalid or taken handle, or a file that cannot be read. */
  async create(accountId: string, order: NewElement): Promise<Element> {
    const handle = requireHandle(order.handle);
    const { kind, name, image, voice } = order;
    return this.#files.withPins(async (pins) => {
      const files = {
        picture: await this.#read(image, 'picture', pins),
        voice: await this.#read(voice, 'voice', pins),
      };
      return this.#db.transact((tx) => this.#insert(tx, { accountId, handle, kind, name, ...files }));
    });
  }

  /** Throws `not_found`. Renders that show the element stay as they are. */
  remove(id: string): Promise<void> {
    return this.#db.transact((tx) => {
      const element = this.require(tx, id);
      deleteElement(tx, id);
      for (const file of filesOf(element)) {
        deletePicture(tx, file, id);
        this.#files.collect(tx, file);
      }
    });
  }

  /** Throws `not_found`. */
  require(db: Reader, id: string): Element {
    const element = findElement(db, id);
    if (element) return element;
    throw new EmulatorError('not_found', `There is no element ${quoted(id)}. GET /_emulator/elements lists them.`);
  }

  /** Newest first. Without `accountId` of all accounts. Throws `invalid_request` for an unknown `after`. */
  list(db: Reader, { accountId, limit = DEFAULT_LIMIT, after, q }: ElementPage = {}): Element[] {
    const before =
      after === undefined
        ? Number.MAX_SAFE_INTEGER
        : (findPosition(db, 'elements', after) ?? findDeletedRecord(db, after)?.position);
    if (before !== undefined) return elementsBefore(db, { accountId, before, limit, q });
    throw unknownAfterError('an element', after ?? '');
  }

  /** Each entry is an id or a handle, with or without `@` [I115]. */
  resolve(accountId: string, entries: string[]): Resolved {
    const found = entries.map((entry) => named(this.#db, accountId, entry));
    const unknown = found.indexOf(undefined);
    if (unknown >= 0) return { unknown };
    return { elements: found.filter((element) => element !== undefined) };
  }

  figure({ handle, name, kind, picture }: Element): Figure {
    if (!picture) return { handle, name, kind };
    if ('standIn' in picture) return { handle, name, kind, picture };
    const { sha256 } = picture;
    return { handle, name, kind, picture: { sha256, path: this.#files.path(sha256) } };
  }

  /** Without the path, because the data folder may be moved. */
  async #read(url: string | null | undefined, kind: 'picture' | 'voice', pins: FilePins): Promise<ElementFile | null> {
    if (!url) return null;
    const param = kind === 'voice' ? 'voice' : 'image';
    const file = await this.#references.read(url, { param, kind, pins });
    return 'sha256' in file ? { sha256: file.sha256 } : file;
  }

  #insert(tx: Transaction, wanted: Omit<Element, 'position' | 'id' | 'created'>): Element {
    requireFree(tx, wanted);
    requireSpeaker(wanted);
    const row = { id: nextId(tx, this.#random, 'element', wanted.accountId), ...wanted, created: tx.now };
    const element = { ...row, position: elements.insert(tx, row) };
    for (const file of filesOf(element)) insertPicture(tx, file, element.id);
    return element;
  }
}

const MAX_HANDLE = 32;

const HANDLE = /^[A-Za-z0-9_-]{1,32}$/;
/** Matches `@mira`, but neither the tail of `me@mira.example` nor a word longer than a handle. */
const MENTION = /(?<![\w@.-])@([A-Za-z0-9_-]{1,32})(?![A-Za-z0-9_-])/g;

/** Lower case, without `@`; undefined if the text is not a handle. */
export function normalizeHandle(text: string): string | undefined {
  const bare = text.startsWith('@') ? text.slice(1) : text;
  return HANDLE.test(bare) ? bare.toLowerCase() : undefined;
}

/** Handles mentioned as `@handle`, in lower case, each once, in order [R164]. */
export function handlesIn(prompt: string): string[] {
  const mentions = [...prompt.matchAll(MENTION)].map(([, handle]) => handle?.toLowerCase() ?? '');
  return [...new Set(mentions)];
}

function requireHandle(text: string): string {
  const handle = normalizeHandle(text);
  if (handle) return handle;
  throw invalid(
    'handle',
    `handle must be 1 to ${MAX_HANDLE} letters, digits, dashes or underscores, not ${quoted(text)}. A prompt mentions it as @handle.`,
  );
}

function requireFree(db: Reader, { accountId, handle }: Pick<Element, 'accountId' | 'handle'>) {
  const taken = elementByHandle(db, accountId, handle);
  if (!taken) return;
  throw invalid(
    'handle',
    `handle must be unique within the account; @${handle} is the handle of ${taken.id} already. Choose another one.`,
  );
}

function requireSpeaker({ kind, voice }: Pick<Element, 'kind' | 'voice'>): void {
  if (!voice || kind === 'character') return;
  throw invalid(
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

const DEFAULT_LIMIT = 1000;

interface ElementPage {
  accountId?: string;
  limit?: number;
  after?: string;
  q?: string;
}

interface NewElement {
  /** 1 to 32 letters, digits, dashes and underscores; stored in lower case. */
  handle: string;
  kind: string;
  name: string;
  /** A data URL, a CDN URL of the emulator, or any other URL, which is never fetched. */
  image?: string | null | undefined;
  /** A sample of how it speaks, given as `image` is. For a `character` only. */
  voice?: string | null | undefined;
}
