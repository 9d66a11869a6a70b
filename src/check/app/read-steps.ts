import type { RequestRow, RunRecord } from '../runner/run-record.ts';
import {
  bodyMark,
  isFile,
  isJobRead,
  matchOf,
  type Numbering,
  numberMarks,
  parsedBody,
  requestName,
  type Step,
  type StepKind,
  type StepMatch,
  segmentsOf,
} from './step.ts';

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
  const orders = new Orders({ ...record, requests }, plain);
  const asked = requestSteps(requests, orders, plain);
  const steps = [...asked.steps, ...orders.steps(), ...deliverySteps(record, orders), ...endpointSteps(record)];
  return { steps, numbering: new Map([...asked.numbering, ...orders.numbering]) };
}

/** One take of an order. */
interface Take {
  /** Of its job, or of the run of a flow. */
  id: string;
  /** `job music #1`. */
  order: string;
  /** From 1; undefined where the order has one. */
  take: number | undefined;
  request: RequestRow;
}

type Delivery = RunRecord['deliveries'][number];

/** Which request of a run made which job, and what they are called. */
class Orders {
  readonly takes: readonly Take[];
  /** What numbers the orders of other runs. */
  readonly numbering: Numbering;
  readonly #record: RunRecord;
  readonly #ordering: readonly RequestRow[];

  constructor(record: RunRecord, plain?: Numbering) {
    this.#record = record;
    this.#ordering = record.requests.filter(({ job_ids: ids, run_id: run }) => ids.length > 0 || run);
    this.takes = takesOf(this.#ordering, plain);
    this.numbering = new Map([...groupsOf(this.#ordering)].map(([name, group]) => [name, group.map(bodyMark)]));
  }

  /** A step for each order's work, and for each of several takes. */
  steps(): Step[] {
    return this.#ordering.flatMap((request) => this.#stepsOf(request));
  }

  /** The number of the job that a request reads. */
  numberOf(request: RequestRow): number | undefined {
    const take = this.#readBy(request);
    return take && this.takes.indexOf(take) + 1;
  }

  aboutOf(request: RequestRow): string[] {
    const takes = [...this.takes.filter((take) => take.request === request), this.#readBy(request) ?? []].flat();
    return [...new Set(takes.flatMap(aboutTake))];
  }

  /** What a delivery is about, and what a rule has to look for to mean it. */
  ofDelivery(delivery: Delivery): Pick<Step, 'about' | 'match'> {
    const { requests } = this.#record;
    const take = this.#announcedBy(delivery);
    const request = take?.request ?? requests.find(({ run_id: run }) => run);
    const narrower = take?.take === undefined ? {} : { take: take.take };
    return {
      about: take ? aboutTake(take) : [],
      match: request ? { ...matchOf(request, requests), ...narrower } : {},
    };
  }

  /** Deliveries count in the order in which their jobs were made. */
  rankOf(delivery: Delivery): number {
    const take = this.#announcedBy(delivery);
    return take ? this.takes.indexOf(take) : this.takes.length + this.#record.deliveries.indexOf(delivery);
  }

  #announcedBy({ subject }: Delivery): Take | undefined {
    return this.takes.find(({ id }) => id === subject);
  }

  /** The take of which a request reads the job, or the file. */
  #readBy({ path }: RequestRow): Take | undefined {
    const segments = segmentsOf(path);
    const entry = this.#record.jobs.find(({ library_id: id }) => id !== undefined && segments.includes(id));
    return this.takes.find(({ id }) => segments.includes(id) || id === entry?.id);
  }

  #stepsOf(request: RequestRow): Step[] {
    const own = this.takes.filter((take) => take.request === request);
    const [first] = own;
    if (!first || request.run_id) return [];
    const announced = this.#record.deliveries.some(({ subject }) => own.some(({ id }) => id === subject));
    const traits = announced ? { announced } : {};
    const match = matchOf(request, this.#record.requests);
    const order: Step = {
      ...{ name: first.order, kind: 'job', about: [first.order], match, ref: first.id },
      traits: { ...traits, ...workOf(request), takes: own.length },
    };
    if (own.length === 1) return [order];
    return [order, ...own.map((each) => takeStep(each, match, traits))];
  }
}

function takeStep({ id, take = 1, order }: Take, match: StepMatch, traits: Step['traits']): Step {
  const name = `${order} take ${take}`;
  return { name, kind: 'take', about: [order, name], match: { ...match, take }, traits, ref: id };
}

/** What an order's work may come to. */
function workOf(request: RequestRow): Step['traits'] {
  const medium = mediumOf(request);
  return {
    ...(medium === 'speech' || medium === 'transcription' ? {} : { moderated: medium === 'music' }),
    ...(request.status === 202 ? {} : { synchronous: true }),
  };
}

function takesOf(ordering: readonly RequestRow[], plain?: Numbering): Take[] {
  const numbers = numbersOf(ordering, plain);
  return ordering.flatMap((request) => {
    const order = `job ${mediumOf(request)} #${numbers.get(request)}`;
    const ids = request.job_ids.length > 0 ? request.job_ids : [request.run_id ?? ''];
    return ids.map((id, at) => ({ id, order, take: ids.length > 1 ? at + 1 : undefined, request }));
  });
}

/**
 * Orders are numbered by their bodies, so that two in another order are the same: among orders alone, since a refused
 * request makes no job, in the plain run or in another.
 */
function numbersOf(ordering: readonly RequestRow[], plain?: Numbering): Map<RequestRow, number> {
  const numbers = new Map<RequestRow, number>();
  for (const [name, group] of groupsOf(ordering)) {
    const found = numberMarks(group.map(bodyMark), plain?.get(name));
    for (const [at, request] of group.entries()) numbers.set(request, found[at] ?? at + 1);
  }
  return numbers;
}

/** Orders by a name that no other request has: `job POST /v1/music/generations`. */
function groupsOf(ordering: readonly RequestRow[]): Map<string, RequestRow[]> {
  return grouped(ordering, (request) => `job ${requestName(request)}`);
}

function grouped(requests: readonly RequestRow[], nameOf: (request: RequestRow) => string): Map<string, RequestRow[]> {
  const groups = new Map<string, RequestRow[]>();
  for (const request of requests) {
    const name = nameOf(request);
    const group = groups.get(name);
    if (group) group.push(request);
    else groups.set(name, [request]);
  }
  return groups;
}

function mediumOf({ path }: RequestRow): string {
  const [, top, area = '', action] = segmentsOf(path);
  if (top === 'hooks') return 'flow';
  return area === 'audio' ? (action === 'speech' ? 'speech' : 'transcription') : area.replace(/s$/, '');
}

function aboutTake({ order, take }: Take): string[] {
  return take === undefined ? [order] : [order, `${order} take ${take}`];
}

function requestSteps(requests: readonly RequestRow[], orders: Orders, plain?: Numbering): ReadSteps {
  const numbering = new Map<string, string[]>();
  const steps = new Map<string, Step>();
  for (const [name, group] of grouped(requests, nameOf)) {
    const marks = group.map(bodyMark);
    numbering.set(name, marks);
    const numbers =
      group.every(isJobRead) || name === 'GET /cdn' ? byObject(group, orders) : numberMarks(marks, plain?.get(name));
    group.forEach((request, at) => {
      const step = requestStep(request, `${name} #${numbers[at]}`, { requests, orders });
      // Of many reads of one job the first is the step.
      if (!steps.has(step.name)) steps.set(step.name, step);
    });
  }
  return { steps: [...steps.values()], numbering };
}

function nameOf(request: RequestRow): string {
  return isFile(request) ? `${request.method} /cdn` : requestName(request);
}

/** Reads of one job, or of its file, have its number. */
function byObject(group: readonly RequestRow[], orders: Orders): number[] {
  const unknown: string[] = [];
  return group.map((request) => {
    const number = orders.numberOf(request);
    if (number !== undefined) return number;
    if (!unknown.includes(request.path)) unknown.push(request.path);
    return orders.takes.length + unknown.indexOf(request.path) + 1;
  });
}

function requestStep(
  request: RequestRow,
  name: string,
  { requests, orders }: { requests: readonly RequestRow[]; orders: Orders },
): Step {
  const kind = kindOf(request);
  const traits = {
    ...(kind === 'stream' ? { events: eventsOf(request) } : {}),
    ...(overlaps(request, requests) ? { overlaps: true } : {}),
  };
  return { name, kind, about: orders.aboutOf(request), match: matchOf(request, requests), traits, ref: request.id };
}

function kindOf(request: RequestRow): StepKind {
  const { method, path, status, job_ids: jobs, run_id: run } = request;
  if (isFile(request)) return 'cdn';
  if (method === 'GET') return 'read';
  if (run || (jobs.length > 0 && status === 202)) return 'order';
  if (!PAID.test(path)) return 'write';
  return Reflect.get(parsedBody(request), 'stream') === true ? 'stream' : 'call';
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
    if (other === request || isFile(other)) return false;
    const [began, ended] = span(other);
    return began < to && ended > from && began >= from;
  });
}

function span({ received_at, duration_ms }: RequestRow): [number, number] {
  const began = Date.parse(received_at);
  return [began, began + duration_ms];
}

/** What a rule has added is no step of its own. */
const ADDED = ['duplicate', 'twin', 'forged', 'resent', 'replayed', 'foreign', 'unknown_type'];

function deliverySteps({ deliveries }: RunRecord, orders: Orders): Step[] {
  const genuine = deliveries.filter(({ fault }) => fault === null || !ADDED.includes(fault));
  const endpoints = [...new Set(deliveries.map(({ endpoint_id: id }) => id))];
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
    const name = `delivery ${delivery.type} #${n}${endpoint === 1 ? '' : ` to endpoint #${endpoint}`}`;
    const { about, match } = orders.ofDelivery(delivery);
    const traits = { followed: isFollowed(delivery, sorted) };
    return [{ name, kind: 'delivery', about: [...about, `endpoint ${endpoint}`], match, traits, ref: delivery.id }];
  });
}

function isFollowed(delivery: Delivery, all: readonly Delivery[]): boolean {
  const later = all.slice(all.indexOf(delivery) + 1);
  return later.some(
    ({ endpoint_id: endpoint, event_id: event }) => endpoint === delivery.endpoint_id && event !== delivery.event_id,
  );
}

/** The endpoint as such: what comes to it before the first delivery. */
function endpointSteps(record: RunRecord): Step[] {
  const first = record.requests.find(({ status, job_ids, run_id }) => (status === 202 && job_ids.length > 0) || run_id);
  if (record.deliveries.length === 0 || !first) return [];
  const match = { ...matchOf(first, record.requests), ...(first.job_ids.length > 1 ? { take: 1 } : {}) };
  return [{ name: 'endpoint', kind: 'endpoint', about: ['endpoint 1'], match, traits: { ofJob: !first.run_id } }];
}
