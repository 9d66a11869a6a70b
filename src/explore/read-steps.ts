import { type OrderBook, orderBook } from './order-book.ts';
import type { DeliveryRow, RequestRow, RunRecord } from '../runs/run-record.ts';
import type { Step, StepKind } from './step.ts';
import { bodyMark, type Numbering, numberMarks, requestName } from './step-numbers.ts';
import { matchOf } from './step-registry.ts';

const JOB_READ = /^\/v1\/(?:videos|music)\/generations\/([^/?]+)/;
/** What may be answered with the work itself, beside the orders of jobs. */
const PAID = /^\/v1\/(?:chat|images|audio|videos|music)\/|^\/v1\/storage\/objects$/;

/** The steps of one run, in the order in which they came, and what numbers those of other runs. */
export interface ReadSteps {
  steps: Step[];
  numbering: Numbering;
}

/** Reads the steps of a run from its record. `plain` is the numbering of the first plain run. */
export function readSteps(record: RunRecord, plain?: Numbering): ReadSteps {
  const requests = record.requests.toSorted((a, b) => a.received_at.localeCompare(b.received_at));
  const orders = orderBook({ ...record, requests }, plain);
  const asked = requestSteps(requests, orders, plain);
  const steps = [...asked.steps, ...orders.steps, ...deliverySteps(record, orders), ...endpointSteps(record)];
  return { steps, numbering: new Map([...asked.numbering, ...orders.numbering]) };
}

function requestSteps(requests: readonly RequestRow[], orders: OrderBook, plain?: Numbering): ReadSteps {
  const groups = new Map<string, RequestRow[]>();
  for (const request of requests) {
    const name = nameOf(request);
    const group = groups.get(name);
    if (group) group.push(request);
    else groups.set(name, [request]);
  }
  const numbering = new Map<string, string[]>();
  const steps = new Map<string, Step>();
  for (const [name, group] of groups) {
    const marks = group.map(bodyMark);
    numbering.set(name, marks);
    const numbers =
      isJobRead(group[0]) || name === 'GET /cdn' ? byObject(group, orders) : numberMarks(marks, plain?.get(name));
    group.forEach((request, at) => {
      const step = requestStep(request, `${name} #${numbers[at]}`, { requests, orders });
      // Of many reads of one job the first is the step.
      if (!steps.has(step.name)) steps.set(step.name, step);
    });
  }
  return { steps: [...steps.values()], numbering };
}

function nameOf(request: RequestRow): string {
  return request.path.startsWith('/cdn/') ? `${request.method} /cdn` : requestName(request);
}

function isJobRead(request: RequestRow | undefined): boolean {
  return request?.method === 'GET' && JOB_READ.test(request.path);
}

/** Reads of one job, or of its file, have its number. */
function byObject(group: readonly RequestRow[], orders: OrderBook): number[] {
  const unknown: string[] = [];
  return group.map((request) => {
    const number = orders.numberOf(request);
    if (number !== undefined) return number;
    if (!unknown.includes(request.path)) unknown.push(request.path);
    return orders.count + unknown.indexOf(request.path) + 1;
  });
}

function requestStep(
  request: RequestRow,
  name: string,
  { requests, orders }: { requests: readonly RequestRow[]; orders: OrderBook },
): Step {
  const kind = kindOf(request);
  const traits = {
    ...(kind === 'stream' ? { events: eventsOf(request) } : {}),
    ...(overlaps(request, requests) ? { overlaps: true } : {}),
  };
  return { name, kind, about: orders.aboutOf(request), match: matchOf(request, requests), traits, ref: request.id };
}

function kindOf({ method, path, status, request, job_ids, run_id }: RequestRow): StepKind {
  if (path.startsWith('/cdn/')) return 'cdn';
  if (method === 'GET') return 'read';
  if (run_id || (job_ids.length > 0 && status === 202)) return 'order';
  if (!PAID.test(path)) return 'write';
  return /"stream"\s*:\s*true/.test(request ?? '') ? 'stream' : 'call';
}

/** Events of a stream but for `[DONE]`, as far as the journal kept them. */
function eventsOf({ answer }: RequestRow): number {
  const lines = (answer ?? '').split('\n').filter((line) => line !== '' && !line.includes('[DONE]'));
  return Math.max(1, lines.length);
}

/** Whether another request of the client was under way when this one was answered. */
function overlaps(request: RequestRow, requests: readonly RequestRow[]): boolean {
  const [from, to] = span(request);
  return requests.some((other) => {
    if (other === request || other.path.startsWith('/cdn/')) return false;
    const [began, ended] = span(other);
    return began < to && ended > from && began >= from;
  });
}

function span({ received_at, duration_ms }: RequestRow): [number, number] {
  const began = Date.parse(received_at);
  return [began, began + duration_ms];
}

function deliverySteps({ deliveries }: RunRecord, orders: OrderBook): Step[] {
  const genuine = deliveries.filter(({ fault }) => !isExtra(fault));
  const endpoints = [...new Set(deliveries.map(({ endpoint_id }) => endpoint_id))];
  const counts = new Map<string, number>();
  const sorted = genuine.toSorted((a, b) => orders.rankOf(a) - orders.rankOf(b));
  const seen = new Set<string>();
  return sorted.flatMap((delivery): Step[] => {
    const endpoint = endpoints.indexOf(delivery.endpoint_id) + 1;
    const once = `${delivery.event_id} ${endpoint}`;
    if (seen.has(once)) return [];
    seen.add(once);
    const count = `${delivery.type} ${endpoint}`;
    const n = (counts.get(count) ?? 0) + 1;
    counts.set(count, n);
    const to = endpoint === 1 ? '' : ` to endpoint #${endpoint}`;
    const followed = isFollowed(delivery, sorted);
    const about = [...orders.aboutDelivery(delivery), `endpoint ${endpoint}`];
    const match = orders.matchOfDelivery(delivery);
    const name = `delivery ${delivery.type} #${n}${to}`;
    return [{ name, kind: 'delivery', about, match, traits: { followed }, ref: delivery.id }];
  });
}

/** What a rule has added is no step of its own. */
function isExtra(fault: string | null): boolean {
  return (
    fault !== null && ['duplicate', 'twin', 'forged', 'resent', 'replayed', 'foreign', 'unknown_type'].includes(fault)
  );
}

function isFollowed(delivery: DeliveryRow, all: readonly DeliveryRow[]): boolean {
  const at = all.indexOf(delivery);
  return all
    .slice(at + 1)
    .some((each) => each.endpoint_id === delivery.endpoint_id && each.event_id !== delivery.event_id);
}

/** The endpoint as such: what comes to it before the first delivery. */
function endpointSteps(record: RunRecord): Step[] {
  const first = record.requests.find(({ status, job_ids, run_id }) => (status === 202 && job_ids.length > 0) || run_id);
  if (record.deliveries.length === 0 || !first) return [];
  const match = { ...matchOf(first, record.requests), ...(first.job_ids.length > 1 ? { take: 1 } : {}) };
  return [{ name: 'endpoint', kind: 'endpoint', about: ['endpoint 1'], match, traits: { tellsJob: !first.run_id } }];
}
