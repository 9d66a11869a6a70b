import { unitKey } from '../../engine/accounts/units.ts';
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
  type StepSite,
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
  const sites = new Sites(record);
  const requests = sites.inOrder(record.requests);
  const orders = new Orders({ ...record, requests }, sites, plain);
  const asked = requestSteps(requests, { orders, sites }, plain);
  const endpoints = endpointSteps({ ...record, requests }, sites);
  const steps = [...asked.steps, ...orders.steps(), ...deliverySteps(record, orders), ...endpoints];
  return { steps, numbering: new Map([...asked.numbering, ...orders.numbering]) };
}

/** Whose requests those of a run are: those of one test are numbered by themselves, whichever tests run beside it. */
class Sites {
  readonly #byAccount = new Map<string, StepSite>();
  #peers: ReadonlyMap<string, readonly RequestRow[]> = new Map();

  constructor({ units = [] }: Pick<RunRecord, 'units'>) {
    for (const row of units) {
      const unit = unitKey(row);
      for (const [at, id] of row.account_ids.entries()) this.#byAccount.set(id, { unit, account: at + 1 });
    }
  }

  of({ account_id: id }: RequestRow): StepSite | undefined {
    return id === null ? undefined : this.#byAccount.get(id);
  }

  /** Those of one test after the other: files of tests run beside each other in whatever order. */
  inOrder(requests: readonly RequestRow[]): RequestRow[] {
    const placed = requests.map((request) => ({ request, unit: this.of(request)?.unit ?? '' }));
    const sorted = placed.toSorted(
      (a, b) => compare(a.unit, b.unit) || compare(a.request.received_at, b.request.received_at),
    );
    const requestsInOrder = sorted.map(({ request }) => request);
    this.#peers = grouped(requestsInOrder, (request) => this.#groupOf(request));
    return requestsInOrder;
  }

  /** The requests of the same account; of those that no test made, all of these. */
  peersOf(request: RequestRow): readonly RequestRow[] {
    return this.#peers.get(this.#groupOf(request)) ?? [];
  }

  /** What a rule has to look for to mean this one of the requests among which it counts. */
  meaning(request: RequestRow): Pick<Step, 'match' | 'site'> {
    const site = this.of(request);
    return { match: matchOf(request, this.peersOf(request)), ...(site && { site }) };
  }

  markOf(request: RequestRow): string {
    const site = this.of(request);
    return site ? `${bodyMark(request)} ${site.unit}` : bodyMark(request);
  }

  #groupOf(request: RequestRow): string {
    return (this.of(request) && request.account_id) ?? '';
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
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
  readonly #sites: Sites;
  readonly #ordering: readonly RequestRow[];

  constructor(record: RunRecord, sites: Sites, plain?: Numbering) {
    this.#record = record;
    this.#sites = sites;
    this.#ordering = record.requests.filter(({ job_ids: ids, run_id: run }) => ids.length > 0 || run);
    this.takes = takesOf(this.#ordering, sites, plain);
    const marked = [...groupsOf(this.#ordering)];
    this.numbering = new Map(marked.map(([name, group]) => [name, group.map((each) => sites.markOf(each))]));
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
  ofDelivery(delivery: Delivery): Pick<Step, 'about' | 'match' | 'site'> {
    const { requests } = this.#record;
    const take = this.#announcedBy(delivery);
    const request = take?.request ?? requests.find(({ run_id: run }) => run);
    const narrower = take?.take === undefined ? {} : { take: take.take };
    const about = take ? aboutTake(take) : [];
    if (!request) return { about, match: {} };
    const { match, site } = this.#sites.meaning(request);
    return { about, match: { ...match, ...narrower }, site };
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
    const meaning = this.#sites.meaning(request);
    const order: Step = {
      ...{ name: first.order, kind: 'job', about: [first.order], ...meaning, ref: first.id },
      traits: { ...traits, ...workOf(request), takes: own.length },
    };
    if (own.length === 1) return [order];
    return [order, ...own.map((each) => takeStep(each, meaning, traits))];
  }
}

function takeStep(
  { id, take = 1, order }: Take,
  { match, site }: Pick<Step, 'match' | 'site'>,
  traits: Step['traits'],
): Step {
  const name = `${order} take ${take}`;
  return { name, kind: 'take', about: [order, name], match: { ...match, take }, site, traits, ref: id };
}

/** What an order's work may come to. */
function workOf(request: RequestRow): Step['traits'] {
  const medium = mediumOf(request);
  return {
    ...(medium === 'speech' || medium === 'transcription' ? {} : { moderated: medium === 'music' }),
    ...(request.status === 202 ? {} : { synchronous: true }),
  };
}

function takesOf(ordering: readonly RequestRow[], sites: Sites, plain?: Numbering): Take[] {
  const numbers = numbersOf(ordering, sites, plain);
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
function numbersOf(ordering: readonly RequestRow[], sites: Sites, plain?: Numbering): Map<RequestRow, number> {
  const numbers = new Map<RequestRow, number>();
  for (const [name, group] of groupsOf(ordering)) {
    const marks = group.map((each) => sites.markOf(each));
    const found = numberMarks(marks, plain?.get(name));
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

interface RequestPlaces {
  orders: Orders;
  sites: Sites;
}

function requestSteps(requests: readonly RequestRow[], places: RequestPlaces, plain?: Numbering): ReadSteps {
  const { orders, sites } = places;
  const numbering = new Map<string, string[]>();
  const steps = new Map<string, Step>();
  for (const [name, group] of grouped(requests, nameOf)) {
    const marks = group.map((each) => sites.markOf(each));
    numbering.set(name, marks);
    const numbers =
      group.every(isJobRead) || name === 'GET /cdn' ? byObject(group, orders) : numberMarks(marks, plain?.get(name));
    group.forEach((request, at) => {
      const step = requestStep(request, `${name} #${numbers[at]}`, places);
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

function requestStep(request: RequestRow, name: string, { orders, sites }: RequestPlaces): Step {
  const kind = kindOf(request);
  const traits = {
    ...(kind === 'stream' ? { events: eventsOf(request) } : {}),
    ...(overlaps(request, sites.peersOf(request)) ? { overlaps: true } : {}),
  };
  return { name, kind, about: orders.aboutOf(request), ...sites.meaning(request), traits, ref: request.id };
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

function deliverySteps({ deliveries, units = [] }: RunRecord, orders: Orders): Step[] {
  const genuine = deliveries.filter(({ fault }) => fault === null || !ADDED.includes(fault));
  const sorted = genuine.toSorted((a, b) => orders.rankOf(a) - orders.rankOf(b));
  // Tests run beside each other in whatever order: their endpoints count as their orders do.
  const counted = units.length > 0 ? sorted : deliveries;
  const endpoints = [...new Set(counted.map(({ endpoint_id: id }) => id))];
  const counts = new Map<string, number>();
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
    const { about, ...meaning } = orders.ofDelivery(delivery);
    const traits = { followed: isFollowed(delivery, sorted) };
    return [
      { name, kind: 'delivery', about: [...about, `endpoint ${endpoint}`], ...meaning, traits, ref: delivery.id },
    ];
  });
}

function isFollowed(delivery: Delivery, all: readonly Delivery[]): boolean {
  const later = all.slice(all.indexOf(delivery) + 1);
  return later.some(
    ({ endpoint_id: endpoint, event_id: event }) => endpoint === delivery.endpoint_id && event !== delivery.event_id,
  );
}

/** The endpoint as such: what comes to it before the first delivery. */
function endpointSteps(record: RunRecord, sites: Sites): Step[] {
  const first = record.requests.find(({ status, job_ids, run_id }) => (status === 202 && job_ids.length > 0) || run_id);
  if (record.deliveries.length === 0 || !first) return [];
  const { match, site } = sites.meaning(first);
  const narrower = first.job_ids.length > 1 ? { take: 1 } : {};
  const about = ['endpoint 1'];
  const traits = { ofJob: !first.run_id };
  return [{ name: 'endpoint', kind: 'endpoint', about, match: { ...match, ...narrower }, site, traits }];
}
