import type { Database } from '../../base/database/database.ts';
import type { SpendRow } from '../../check/spend.ts';
import { maskText } from '../../control/mask/mask.ts';
import type { Journal } from '../../engine/journal/journal.ts';
import type { JournalRecord } from '../../engine/journal/request-schemas.ts';
import { readEventTypes, readFailedDeliveries, readFailedJobs } from './run-report-store.ts';
import { SpendCounter } from './spend-counter.ts';

const UNROUTED: readonly unknown[] = ['not_found', 'method_not_allowed', 'forbidden_host', 'forbidden_origin'];

const GENERATION_END = /^(?:video|music)\.generation\.(succeeded|failed)$/;

/** Counts a whole run, even if the state is reset or restored, or the journal removes requests. */
export class RunCounter {
  requests = 0;
  answered = 0;
  unrouted: string | null = null;
  readonly operations = new Set<string>();
  readonly errorCodes = new Set<string>();
  readonly eventTypes = new Set<string>();
  readonly jobStates = new Set<string>();
  readonly #trouble: FailureCollector;
  readonly #spend = new SpendCounter();
  #database: Database | undefined;

  constructor(trouble: FailureCollector) {
    this.#trouble = trouble;
  }

  attach({ database, records: { journal } }: { database: Database; records: { journal: Journal } }): void {
    this.#database = database;
    journal.observe((record) => this.#see(record));
    this.#spend.attach({ database });
  }

  begin(): void {
    this.#spend.begin();
  }

  /** Call it before a reset or restore replaces the state. */
  keep(): void {
    this.#spend.keep();
    this.#read();
  }

  #read(): void {
    if (!this.#database) return;
    for (const type of readEventTypes(this.#database)) this.#announce(type);
    this.#trouble.read(this.#database);
  }

  spend(): SpendRow[] {
    this.#read();
    return this.#spend.spend();
  }

  /** The end of a video or song that an event announced counts as seen, even if no request read the job. */
  #announce(type: string): void {
    this.eventTypes.add(type);
    const [, end] = GENERATION_END.exec(type) ?? [];
    if (end) this.jobStates.add(end);
  }

  #see(record: JournalRecord): void {
    const { operation, error, error_message: message = '', shown = [] } = record;
    this.#trouble.refuse(record);
    this.requests += 1;
    if (operation !== null) this.operations.add(operation);
    // A request without an operation is unrouted only if its error is in `UNROUTED`. A request rejected for its key or
    // fields matched an operation.
    if (operation === null && UNROUTED.includes(error)) this.unrouted ??= message;
    else this.answered += 1;
    if (error !== undefined) this.errorCodes.add(error);
    for (const { status } of shown) this.jobStates.add(status);
  }
}

const MAX_LINES = 18;
const MAX_LINE = 300;
const MAX_KEPT = 16_384;
const LEAST_ASKED = 2;

interface Line {
  text: string;
  who: string;
  times: number;
}

type Kind = Map<string, Line>;

export class FailureCollector {
  readonly #refused: Kind = new Map();
  readonly #failed: Kind = new Map();
  readonly #undelivered: Kind = new Map();
  readonly #asked: Kind = new Map();
  readonly #seen = new Set<string>();
  #met = 0;

  refuse(record: JournalRecord): void {
    const { id, account_id: account, method, path, status, asked, fault } = record;
    if (status > 0 && status < 400) return;
    const what = status === 0 ? 'connection reset' : refusalIn(record);
    const kind = fault !== undefined || asked ? this.#asked : this.#refused;
    this.#add(kind, `${method} ${path} -> ${what}`, account ? `${id} by ${account}` : id);
  }

  /** Counts a failure once, even if a restore brings it back. */
  read(database: Database): void {
    for (const { id, accountId, model, code, message, asked } of readFailedJobs(database)) {
      if (!this.#isNew(id)) continue;
      const kind = asked === 1 ? this.#asked : this.#failed;
      this.#add(kind, `job of ${model} failed: ${code}: ${message}`, `${id} of ${accountId}`);
    }
    for (const { id, accountId, type, url, fault, status, error } of readFailedDeliveries(database)) {
      const end = error ?? `returned ${status}`;
      if (!this.#isNew(id)) continue;
      const kind = fault === null ? this.#undelivered : this.#asked;
      this.#add(kind, `${type} to ${url}: ${end}`, `${id} of ${accountId}`);
    }
  }

  summary(room = MAX_LINES): { lines: string[]; asked: string[]; left: number } {
    const unexpected = [this.#refused, this.#failed, this.#undelivered];
    const first = shares(
      unexpected.map(({ size }) => size),
      room - Math.min(this.#asked.size, LEAST_ASKED),
    );
    const latest = unexpected.flatMap((kind, at) => newest(kind, first[at] ?? 0));
    const asked = newest(this.#asked, room - latest.length);
    const shown = [...latest, ...asked].reduce((total, { times }) => total + times, 0);
    return { lines: latest.map(inLine), asked: asked.map(inLine), left: this.#met - shown };
  }

  #add(kind: Kind, what: string, who: string): void {
    const plain = what.replace(/\s+/g, ' ');
    const text = plain.slice(0, MAX_KEPT);
    const times = (kind.get(text)?.times ?? 0) + 1;
    this.#met += 1;
    kind.delete(text);
    kind.set(text, { text, who, times });
    const [oldest = ''] = kind.keys();
    if (kind.size > MAX_LINES) kind.delete(oldest);
  }

  #isNew(id: string): boolean {
    const isNew = !this.#seen.has(id);
    this.#seen.add(id);
    return isNew;
  }
}

function newest(kind: Kind, most: number): Line[] {
  return [...kind.values()].slice(Math.max(0, kind.size - most));
}

function inLine({ text, who, times }: Line): string {
  const said = maskText(text);
  const line = `${said.length > MAX_LINE ? `${said.slice(0, MAX_LINE - 1)}…` : said} (${who})`;
  return times === 1 ? line : `${line}, the last of ${times}`;
}

function refusalIn(record: JournalRecord): string {
  const { status, error = '', error_message: message, choice } = record;
  return `${status} ${error}${choice ? ` (choice ${choice})` : ''}${message ? `: ${message}` : ''}`;
}

function shares(sizes: readonly number[], most: number): number[] {
  const rooms = sizes.map(() => 0);
  const order = sizes.map((_, at) => at).sort((a, b) => (sizes[a] ?? 0) - (sizes[b] ?? 0));
  let room = most;
  for (const [nth, at] of order.entries()) {
    rooms[at] = Math.min(sizes[at] ?? 0, Math.floor(room / (order.length - nth)));
    room -= rooms[at] ?? 0;
  }
  return rooms;
}
