import type { DeliveryRow, RequestRow, RunRecord } from '../runs/run-record.ts';
import type { Step, StepMatch } from './step.ts';
import { bodyMark, type Numbering, numberMarks, requestName } from './step-numbers.ts';
import { matchOf } from './step-registry.ts';

/** What is known of the orders of one run: which request made which job, and what they are called. */
export interface OrderBook {
  /** A step for each order's work, and for each of several takes. */
  steps: Step[];
  /** How many jobs there are. */
  count: number;
  /** What numbers the orders of other runs. */
  numbering: Numbering;
  /** The number of the job that a request reads. */
  numberOf(request: RequestRow): number | undefined;
  aboutOf(request: RequestRow): string[];
  aboutDelivery(delivery: DeliveryRow): string[];
  /** Deliveries count in the order in which their jobs were made. */
  rankOf(delivery: DeliveryRow): number;
  matchOfDelivery(delivery: DeliveryRow): StepMatch;
}

interface Take {
  id: string;
  /** `job music #1`. */
  order: string;
  /** From 1; undefined where the order has one. */
  take: number | undefined;
  request: RequestRow;
}

const OF_JOB = /^\/v1\/(?:videos|music)\/generations\/([^/?]+)/;
const OF_FILE = /^\/cdn\/library\/(lib_[^/]+)/;

export function orderBook({ requests, jobs, deliveries }: RunRecord, plain?: Numbering): OrderBook {
  const ordering = requests.filter(({ job_ids, run_id }) => job_ids.length > 0 || run_id);
  const takes = takesOf(ordering, plain);
  const rows = new Map(jobs.map((job) => [job.id, job]));
  const heard = new Set(deliveries.map(({ event_id }) => event_id.replace(/^evt_/, 'job_')));
  const reading = ({ path }: RequestRow): Take | undefined => {
    const [, job] = OF_JOB.exec(path) ?? [];
    const [, entry] = OF_FILE.exec(path) ?? [];
    return takes.find(({ id }) => id === job || (entry !== undefined && rows.get(id)?.library_id === entry));
  };
  const told = ({ event_id, run_id }: DeliveryRow) =>
    takes.find(({ id }) => id === (run_id ?? event_id.replace(/^evt_/, 'job_')));
  const matching = (request: RequestRow): StepMatch => matchOf(request, requests);
  return {
    steps: ordering.flatMap((request) => orderSteps(request, { takes, heard, match: matching(request) })),
    count: takes.length,
    numbering: new Map([...groupsOf(ordering)].map(([name, group]) => [name, group.map(bodyMark)])),
    numberOf(request) {
      const take = reading(request);
      return take && takes.indexOf(take) + 1;
    },
    aboutOf(request) {
      const own = takes.filter((take) => take.request === request);
      const read = reading(request);
      return [...new Set([...own, ...(read ? [read] : [])].flatMap(aboutTake))];
    },
    aboutDelivery(delivery) {
      const take = told(delivery);
      return take ? aboutTake(take) : [];
    },
    rankOf(delivery) {
      const take = told(delivery);
      return take ? takes.indexOf(take) : takes.length + deliveries.indexOf(delivery);
    },
    matchOfDelivery(delivery) {
      const take = told(delivery);
      const flow = requests.find(({ run_id }) => run_id);
      const request = take?.request ?? flow;
      if (!request) return {};
      return { ...matching(request), ...(take?.take === undefined ? {} : { take: take.take }) };
    },
  };
}

function takesOf(ordering: readonly RequestRow[], plain?: Numbering): Take[] {
  const counts = new Map<string, number>();
  const numbered = numbersOf(ordering, plain);
  return ordering.flatMap((request) => {
    const medium = mediumOf(request);
    const n = (counts.get(medium) ?? 0) + 1;
    counts.set(medium, n);
    const order = `job ${medium} #${numbered.get(request) ?? n}`;
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
  const nameOf = (request: RequestRow) => `job ${requestName(request)}`;
  const names = [...new Set(ordering.map(nameOf))];
  return new Map(names.map((name) => [name, ordering.filter((request) => nameOf(request) === name)]));
}

function mediumOf({ path }: RequestRow): string {
  if (path.startsWith('/hooks/')) return 'flow';
  const [, area = '', second = ''] = /^\/v1\/([a-z]+)\/([a-z]+)/.exec(path) ?? [];
  return area === 'audio' ? (second === 'speech' ? 'speech' : 'transcription') : area.replace(/s$/, '');
}

interface OrderParts {
  takes: readonly Take[];
  heard: ReadonlySet<string>;
  match: StepMatch;
}

function orderSteps(request: RequestRow, { takes, heard, match }: OrderParts): Step[] {
  const own = takes.filter((take) => take.request === request);
  const [first] = own;
  if (!first || request.run_id) return [];
  const announced = own.some(({ id }) => heard.has(id));
  const medium = mediumOf(request);
  const traits = {
    ...(medium === 'speech' || medium === 'transcription' ? {} : { moderated: medium === 'music' }),
    ...(request.status === 202 ? {} : { synchronous: true }),
    ...(announced ? { announced } : {}),
    takes: own.length,
  };
  const order: Step = { name: first.order, kind: 'job', about: [first.order], match, traits, ref: first.id };
  if (own.length === 1) return [order];
  return [
    order,
    ...own.map(
      ({ id, take = 1, order: name }): Step => ({
        ref: id,
        ...{ name: `${name} take ${take}`, kind: 'take', about: [name, `${name} take ${take}`] },
        ...{ match: { ...match, take }, traits: announced ? { announced } : {} },
      }),
    ),
  ];
}

function aboutTake({ order, take }: Take): string[] {
  return take === undefined ? [order] : [order, `${order} take ${take}`];
}
