import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import { readJobOf } from '../orders/order-records.ts';
import type { TraceFile } from './trace-file.ts';
import { TraceOrders } from './trace-orders.ts';

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
  /** The order to which it belongs, which began with a step of this id. */
  order: string;
}

/** The same step of two runs, or a step that only one of them has. */
export interface StepPair {
  a: RunStep | undefined;
  b: RunStep | undefined;
  isSame: boolean;
}

/** What a request leads to happens in another order each time: it is listed below its request. */
const RANKS = ['call', 'job', 'delivery'] as const;

interface Placed extends RunStep {
  rank: (typeof RANKS)[number];
  /** Among those of one rank in one order. */
  name: string;
}

/**
 * What a run did and what it was answered: requests in their order, below each what came of it. How often an unfinished
 * job was asked for does not count.
 */
export function stepsOf(trace: TraceFile): RunStep[] {
  const orders = new TraceOrders(trace);
  const steps = [...callSteps(trace), ...jobSteps(trace, orders), ...deliverySteps(trace, orders)];
  const began = new Map<string, number>();
  for (const { order, at } of steps) began.set(order, Math.min(at, began.get(order) ?? at));
  return steps
    .sort(
      (a, b) =>
        (began.get(a.order) ?? 0) - (began.get(b.order) ?? 0) ||
        a.order.localeCompare(b.order) ||
        RANKS.indexOf(a.rank) - RANKS.indexOf(b.rank) ||
        a.name.localeCompare(b.name, 'en', { numeric: true }) ||
        a.at - b.at,
    )
    .map(({ rank: _, name: _name, ...step }) => step);
}

function callSteps({ head, tables }: TraceFile): Placed[] {
  return tables.requests
    .filter((each) => !readJobOf(each))
    .map((entry) => ({ ...callStep(entry, head.span.began), rank: 'call', name: '' }));
}

function callStep({ id, method, path, status, began: came, error }: JournalEntry, began: number): RunStep {
  const what = `${method} ${withoutIds(path.split('?')[0] ?? '')}`;
  const answered = status === 0 ? 'connection reset' : `${status}${error ? ` ${error}` : ''}`;
  return { what, came: answered, at: came - began, id, order: id };
}

function jobSteps({ head, tables }: TraceFile, orders: TraceOrders): Placed[] {
  return tables.jobs.flatMap(({ id, completed, status, model, take, result }, position): Placed[] => {
    if (completed === null) return [];
    const code = result && 'error' in result ? `: ${result.error.code}` : '';
    const what = take === null ? `job of ${model}` : `take ${take} of ${model}`;
    const at = orders.real(completed) - head.span.began;
    return [
      { what, came: status + code, at, id, order: orders.orderOf(id) ?? id, rank: 'job', name: String(position) },
    ];
  });
}

function deliverySteps({ head, tables }: TraceFile, orders: TraceOrders): Placed[] {
  return tables.deliveries.flatMap((delivery): Placed[] => {
    const { id, type, url, attemptedAt, durationMs, status, responseStatus, error } = delivery;
    if (attemptedAt === null) return [];
    // The receiver listens on another port in every run.
    const what = `${type} to ${URL.canParse(url) ? new URL(url).pathname : url}`;
    const came = `${status} ${responseStatus ?? error ?? ''}`.trim();
    const at = attemptedAt + (durationMs ?? 0) - head.span.began;
    return [{ what, came, at, id, order: orders.orderOf(id) ?? id, rank: 'delivery', name: what }];
  });
}

/** A text in which every id is one. */
export function withoutIds(text: string): string {
  return text.replace(ID, (id) => `${id.slice(0, id.indexOf('_'))}_…`);
}

const ID = /\b(?:acct|chatcmpl|dlv|el|le|we|evt|flt|fix|flow|job|key|lib|msg|obj|post|run|ws|req)_[0-9a-z]{6,64}\b/g;
