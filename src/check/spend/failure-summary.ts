import type { Database } from '../../base/database/database.ts';
import type { JournalFacts } from '../../engine/journal/request-schemas.ts';
import { failedWork, lostDeliveries } from './run-report-store.ts';

/** Lines at most that say why a run may have failed, beside their heading and the one that says where the rest is. */
const MOST_LINES = 18;
const LONGEST = 300;
/** So many lines are left to what was asked for. */
const LEAST_ASKED = 2;

interface Line {
  line: string;
  times: number;
}

/** What went wrong in the same way, the newest last. */
interface Kind {
  /** By what they have in common. */
  readonly lines: Map<string, Line>;
  /** So many more were let go. */
  dropped: number;
}

/**
 * What went wrong in a run, for the output of its CI job: requests that were refused, jobs that failed, deliveries that
 * were not answered 2xx, and last what a fault rule or a directive asked for. It outlives resets, and holds no more than
 * can be shown.
 */
export class FailureSummary {
  readonly #refused: Kind = { lines: new Map(), dropped: 0 };
  readonly #failed: Kind = { lines: new Map(), dropped: 0 };
  readonly #undelivered: Kind = { lines: new Map(), dropped: 0 };
  readonly #asked: Kind = { lines: new Map(), dropped: 0 };
  readonly #seen = new Set<string>();

  /** An answer that was an error, or none: the connection was reset. */
  refuse(facts: JournalFacts): void {
    const { id, account_id: account, method, path, status, asked, fault } = facts;
    if (status > 0 && status < 400) return;
    const what = status === 0 ? 'connection reset' : refusalIn(facts);
    const kind = fault !== undefined || asked ? this.#asked : this.#refused;
    add(kind, `${method} ${path} -> ${what}`, account ? `${id} by ${account}` : id);
  }

  /** What a state has on record; what is there again after a restore counts once. */
  read(database: Database): void {
    for (const { id, accountId, model, code, message, asked } of failedWork(database)) {
      if (!this.#isNew(id)) continue;
      const kind = asked === 1 ? this.#asked : this.#failed;
      add(kind, `job of ${model} failed: ${code}: ${message}`, `${id} of ${accountId}`);
    }
    for (const { id, accountId, type, url, fault, status, error } of lostDeliveries(database)) {
      const end = error ?? `answered ${status}`;
      if (!this.#isNew(id)) continue;
      const kind = fault === null ? this.#undelivered : this.#asked;
      add(kind, `${type} to ${url}: ${end}`, `${id} of ${accountId}`);
    }
  }

  /**
   * The newest of each kind, as many as have room, oldest first: what nobody asked for, and what the tests asked for. `left`:
   * how many are among neither.
   */
  summary(room = MOST_LINES): { lines: string[]; asked: string[]; left: number } {
    const unexpected = [this.#refused, this.#failed, this.#undelivered];
    const first = shares(
      unexpected.map(({ lines }) => lines.size),
      room - Math.min(this.#asked.lines.size, LEAST_ASKED),
    );
    const latest = unexpected.flatMap((kind, at) => newest(kind, first[at] ?? 0));
    const asked = newest(this.#asked, room - latest.length);
    const met = [...unexpected, this.#asked].reduce(
      (total, { lines, dropped }) => total + dropped + timesIn([...lines.values()]),
      0,
    );
    const left = met - timesIn(latest) - timesIn(asked);
    return { lines: latest.map(inLine), asked: asked.map(inLine), left };
  }

  #isNew(id: string): boolean {
    const isNew = !this.#seen.has(id);
    this.#seen.add(id);
    return isNew;
  }
}

function newest({ lines }: Kind, most: number): Line[] {
  return [...lines.values()].slice(Math.max(0, lines.size - most));
}

function timesIn(lines: readonly Line[]): number {
  return lines.reduce((total, { times }) => total + times, 0);
}

function inLine({ line, times }: Line): string {
  return times === 1 ? line : `${line}, the last of ${times}`;
}

function add(kind: Kind, what: string, who: string): void {
  const { lines } = kind;
  const plain = what.replace(/\s+/g, ' ');
  const text = plain.length > LONGEST ? `${plain.slice(0, LONGEST - 1)}…` : plain;
  const times = (lines.get(text)?.times ?? 0) + 1;
  lines.delete(text);
  lines.set(text, { line: `${text} (${who})`, times });
  if (lines.size <= MOST_LINES) return;
  const [oldest] = lines;
  if (!oldest) return;
  lines.delete(oldest[0]);
  kind.dropped += oldest[1].times;
}

/** Its status and code, the choice by which it was refused, and what was said. */
function refusalIn(facts: JournalFacts): string {
  const { status, error = '', error_message: message, choice } = facts;
  return `${status} ${error}${choice ? ` (choice ${choice})` : ''}${message ? `: ${message}` : ''}`;
}

/** How many lines each kind gets: those that need few get them all, the others share what is left. */
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
