import type { JournalEntry } from '../journal/journal-record.ts';
import { OrderBook } from './order-book-at.ts';
import { polledJob } from './order-roots.ts';
import type { TraceFile } from './trace-file.ts';

/** One thing that a run came to, without ids and times: these are others in every run. */
export interface RunStep {
  /** What happened, such as `POST /v1/music/generations`. */
  what: string;
  /** What it came to, such as `202` or `failed: render_failed`. */
  came: string;
  /** Milliseconds since the run began. */
  at: number;
  /** The id by which its order opens. */
  id: string;
}

const ID = /\b(?:acct|chatcmpl|dlv|el|le|we|evt|flt|fix|flow|job|key|lib|msg|obj|post|run|ws|req)_[0-9a-z]{6,64}\b/g;

/** A text in which every id is one. */
export function withoutIds(text: string): string {
  return text.replace(ID, (id) => `${id.slice(0, id.indexOf('_'))}_…`);
}

/** What a run did and what it was answered, in its order; how often an unfinished job was asked for does not count. */
export function stepsOf(trace: TraceFile): RunStep[] {
  const book = new OrderBook(trace);
  const { began } = trace.head.span;
  const { requests, jobs, deliveries } = trace.tables;
  const calls = requests.filter((each) => !polledJob(each)).map((entry) => callStep(entry, began));
  const ends = jobs.flatMap(({ id, completed, status, model, take, result }): RunStep[] => {
    if (completed === null) return [];
    const code = result && 'error' in result ? `: ${result.error.code}` : '';
    const what = take === null ? `job of ${model}` : `take ${take} of ${model}`;
    return [{ what, came: status + code, at: book.real(completed) - began, id }];
  });
  const told = deliveries.flatMap(({ id, type, attemptedAt, durationMs, status, responseStatus, error }): RunStep[] => {
    if (attemptedAt === null) return [];
    const came = `${status} ${responseStatus ?? error ?? ''}`.trim();
    return [{ what: `delivery ${type}`, came, at: attemptedAt + (durationMs ?? 0) - began, id }];
  });
  return [...calls, ...ends, ...told].sort((a, b) => a.at - b.at);
}

function callStep({ id, method, path, status, began: came, error }: JournalEntry, began: number): RunStep {
  const what = `${method} ${withoutIds(path.split('?')[0] ?? '')}`;
  const answered = status === 0 ? 'connection reset' : `${status}${error ? ` ${error}` : ''}`;
  return { what, came: answered, at: came - began, id };
}
