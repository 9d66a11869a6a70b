import { groupBy } from '../../base/text.ts';
import { qualifiedTestName } from '../../engine/accounts/tests.ts';
import type { RequestRow, RunRecord } from '../runner/run-record.ts';
import {
  assignStableNumbers,
  cdnFileExtension,
  type FingerprintsByName,
  IMAGE_READ_SITE_NAME,
  isCdnRequest,
  isJobReadRequest,
  makeSiteMatch,
  parseRequestBody,
  pathSegments,
  requestContentFingerprint,
  type Site,
  type SiteKind,
  siteNameOfRequest,
} from './site.ts';

const PAID = /^\/v1\/(?:chat|images|audio|videos|music)\/|^\/v1\/storage\/objects$/;
/** Faults that add a delivery. Added deliveries are not sites. */
const ADDED = ['duplicate', 'twin', 'forged', 'resent', 'replayed', 'unknown_type'];

export interface SitesAndFingerprints {
  sites: Site[];
  numbering: FingerprintsByName;
}

/** `plain`, the fingerprints of a baseline run, keeps the numbers of sites (`#2`) the same in every run. */
export function findSites(record: RunRecord, plain?: FingerprintsByName): SitesAndFingerprints {
  const run = new RunReader(record, plain);
  const sites = [
    ...run.requestSites(),
    ...run.workSites(),
    ...run.deliverySites(),
    ...run.endpointSites(),
    ...run.responsesSites(),
  ];
  return { sites, numbering: run.numbering };
}

/** A job or a flow run that a request started. */
interface Work {
  id: string;
  order: string;
  take: number | undefined;
  request: RequestRow;
  about: readonly string[];
}

type Delivery = RunRecord['deliveries'][number];

class RunReader {
  readonly numbering = new Map<string, readonly string[]>();
  readonly #record: RunRecord;
  readonly #plain: FingerprintsByName | undefined;
  /** The test of each account. Requests are sorted by test before they are numbered, because tests run in any order. */
  readonly #tests: ReadonlyMap<string, string>;
  readonly #requests: readonly RequestRow[];
  readonly #peers: ReadonlyMap<string, readonly RequestRow[]>;
  readonly #orders: readonly RequestRow[];
  readonly #works: readonly Work[];

  constructor(record: RunRecord, plain: FingerprintsByName | undefined) {
    const { tests = [], requests } = record;
    this.#record = record;
    this.#plain = plain;
    this.#tests = new Map(tests.flatMap((row) => row.account_ids.map((id) => [id, qualifiedTestName(row)] as const)));
    const testOf = (request: RequestRow) => this.#testOf(request) ?? '';
    this.#requests = requests.toSorted(
      (a, b) => compare(testOf(a), testOf(b)) || compare(a.received_at, b.received_at),
    );
    this.#peers = groupBy(this.#requests, testOf);
    this.#orders = this.#requests.filter(({ job_ids: ids, run_id: run }) => ids.length > 0 || run);
    this.#works = this.#readWorks();
  }

  requestSites(): Site[] {
    const sites = new Map<string, Site>();
    for (const [name, group] of groupBy(this.#requests, (request) => this.#nameOf(request))) {
      const isByObject = group.every(isJobReadRequest) || group.every(isCdnRequest);
      const numbers = isByObject ? this.#numbersByObject(group) : this.#numbered(name, group);
      for (const [at, request] of group.entries()) {
        const numbered = `${name} #${numbers[at]}`;
        if (!sites.has(numbered)) sites.set(numbered, this.#requestSite(request, numbered));
      }
    }
    return [...sites.values()];
  }

  workSites(): Site[] {
    return this.#orders.flatMap((request) => {
      const own = this.#works.filter((work) => work.request === request);
      const [first] = own;
      if (!first || request.run_id) return [];
      const isAnnounced = this.#record.deliveries.some(({ subject }) => own.some(({ id }) => id === subject));
      const announced = isAnnounced ? { announced: true } : {};
      const { match, test } = this.#meaning(request);
      const isRead = this.#record.requests.some(
        ({ method, path }) => method === 'GET' && own.some(({ id }) => path.endsWith(`/${id}`)),
      );
      const traits = { ...announced, ...(isRead ? { read: true } : {}), ...workOf(request), takes: own.length };
      const order: Site = { name: first.order, kind: 'job', about: [first.order], match, test, traits, ref: first.id };
      if (own.length === 1) return [order];
      const takes = own.map(({ id, take = 1, about }): Site => {
        const name = `${first.order} take ${take}`;
        return { name, kind: 'take', about, match: { ...match, take }, test, traits: announced, ref: id };
      });
      return [order, ...takes];
    });
  }

  deliverySites(): Site[] {
    const { deliveries, tests = [] } = this.#record;
    const rankOf = (delivery: Delivery) => {
      const rank = this.#works.findIndex(({ id }) => id === delivery.subject);
      return rank === -1 ? this.#works.length + deliveries.indexOf(delivery) : rank;
    };
    const genuine = deliveries.filter(({ fault }) => fault === null || !ADDED.includes(fault));
    const sorted = genuine.toSorted((a, b) => rankOf(a) - rankOf(b));
    // If tests are reported, endpoints are numbered in the order of the jobs and flow runs that their first deliveries
    // announce, because tests run in any order.
    const endpoints = [...new Set((tests.length > 0 ? sorted : deliveries).map(({ endpoint_id: id }) => id))];
    const firsts = sorted.filter((each, at) => !sorted.slice(0, at).some((other) => isAgain(each, other)));
    return firsts.map((each, at) => {
      const isTo = (other: Delivery) => other.endpoint_id === each.endpoint_id;
      const n = firsts.slice(0, at + 1).filter((other) => isTo(other) && other.type === each.type).length;
      const later = sorted.slice(sorted.indexOf(each) + 1);
      const followed = later.some((other) => isTo(other) && other.event_id !== each.event_id);
      const faulted = deliveries.some((other) => other.fault !== null && isAgain(other, each));
      const traits = { followed, ...(faulted ? { faulted } : {}) };
      return this.#deliverySite(each, { n, endpoint: endpoints.indexOf(each.endpoint_id) + 1, traits });
    });
  }

  endpointSites(): Site[] {
    const { deliveries } = this.#record;
    const announced = new Set(deliveries.map(({ subject }) => subject));
    // A rule of the tests acts on a delivery of these. Another fault would replace it.
    const faulted = new Set(deliveries.filter(({ fault }) => fault !== null).map(({ subject }) => subject));
    const first = this.#requests.find(({ job_ids: jobs, run_id: run }) => {
      const ids = [...jobs, ...(run ? [run] : [])];
      return ids.some((id) => announced.has(id)) && !ids.some((id) => faulted.has(id));
    });
    if (!first) return [];
    const { match, test } = this.#meaning(first);
    const narrower = first.job_ids.length > 1 ? { take: 1 } : {};
    return [
      { name: 'endpoint', kind: 'endpoint', about: ['endpoint 1'], match: { ...match, ...narrower }, test, traits: {} },
    ];
  }

  responsesSites(): Site[] {
    const tests = new Set(this.#requests.flatMap((request) => this.#testOf(request) ?? []));
    const named = tests.size > 0 ? [...tests].sort() : [undefined];
    return (this.#requests.length > 0 ? named : []).map((test, at) => {
      const name = `responses #${at + 1}`;
      return { name, kind: 'responses', about: [], match: {}, test, traits: {} };
    });
  }

  #testOf({ account_id: id }: RequestRow): string | undefined {
    return id === null ? undefined : this.#tests.get(id);
  }

  #peersOf(request: RequestRow): readonly RequestRow[] {
    return this.#peers.get(this.#testOf(request) ?? '') ?? [];
  }

  #meaning(request: RequestRow): Pick<Site, 'match' | 'test'> {
    return { match: makeSiteMatch(request, this.#peersOf(request)), test: this.#testOf(request) };
  }

  /**
   * Numbers the requests of one site name. A request with the body, query and test of a request of the baseline run
   * (`#plain`) gets the number of that request, even if the order differs.
   */
  #numbered(name: string, group: readonly RequestRow[]): number[] {
    const marks = group.map((request) =>
      [requestContentFingerprint(request), this.#testOf(request) ?? []].flat().join(' '),
    );
    this.numbering.set(name, marks);
    return assignStableNumbers(marks, this.#plain?.get(name));
  }

  /**
   * Numbers orders without counting refused requests, because a refused request creates no job. The works of a test are
   * sorted by kind and number, because orders of different kinds may overtake each other.
   */
  #readWorks(): Work[] {
    const numbered = new Map<RequestRow, number>();
    for (const [name, group] of groupBy(this.#orders, (request) => `job ${siteNameOfRequest(request)}`)) {
      const numbers = this.#numbered(name, group);
      for (const [at, request] of group.entries()) numbered.set(request, numbers[at] ?? 0);
    }
    const numberOf = (request: RequestRow) => numbered.get(request) ?? 0;
    const sorted = this.#orders.toSorted(
      (a, b) =>
        compare(this.#testOf(a) ?? '', this.#testOf(b) ?? '') ||
        compare(siteNameOfRequest(a), siteNameOfRequest(b)) ||
        numberOf(a) - numberOf(b),
    );
    return sorted.flatMap((request) => {
      const order = `job ${mediumOf(request)} #${numberOf(request)}`;
      const ids = request.job_ids.length > 0 ? request.job_ids : [request.run_id ?? ''];
      return ids.map((id, at): Work => {
        const take = ids.length > 1 ? at + 1 : undefined;
        return { id, order, take, request, about: take === undefined ? [order] : [order, `${order} take ${take}`] };
      });
    });
  }

  #readBy({ path }: RequestRow): Work | undefined {
    const segments = pathSegments(path);
    const entry = this.#record.jobs.find(({ library_id: id }) => id !== undefined && segments.includes(id));
    return this.#works.find(({ id }) => segments.includes(id) || id === entry?.id);
  }

  #nameOf(request: RequestRow): string {
    if (!isCdnRequest(request)) return siteNameOfRequest(request);
    const order = this.#readBy(request)?.request;
    const isImage = order && mediumOf(order) === 'image' && request.method === 'GET';
    return isImage ? IMAGE_READ_SITE_NAME : `${request.method} /cdn`;
  }

  #deliverySite(
    delivery: Delivery,
    { n, endpoint, traits }: { n: number; endpoint: number; traits: Site['traits'] },
  ): Site {
    const name = `delivery ${delivery.type} #${n}${endpoint === 1 ? '' : ` to endpoint #${endpoint}`}`;
    const { about, ...meaning } = this.#ofDelivery(delivery);
    const abouts = [...about, `endpoint ${endpoint}`];
    return { name, kind: 'delivery', about: abouts, ...meaning, traits, ref: delivery.id };
  }

  #ofDelivery({ subject }: Delivery): Pick<Site, 'about' | 'match' | 'test'> {
    const work = this.#works.find(({ id }) => id === subject);
    const request = work?.request ?? this.#requests.find(({ run_id: run }) => run);
    const about = work?.about ?? [];
    if (!request) return { about, match: {} };
    const { match, test } = this.#meaning(request);
    return { about, match: { ...match, ...(work?.take === undefined ? {} : { take: work.take }) }, test };
  }

  /**
   * Numbers reads by what they read. The takes of a song are numbered in the order in which they are first read, because
   * an app may use only the take that ends first.
   */
  #numbersByObject(group: readonly RequestRow[]): number[] {
    const unknown: string[] = [];
    const read = new Set<Work>();
    return group.map((request) => {
      const work = this.#readBy(request);
      if (work) {
        const isSibling = (each: Work) => each.request === work.request;
        const place = [...read.add(work)].filter(isSibling).indexOf(work);
        return this.#works.findIndex(isSibling) + place + 1;
      }
      if (!unknown.includes(request.path)) unknown.push(request.path);
      return this.#works.length + unknown.indexOf(request.path) + 1;
    });
  }

  #requestSite(request: RequestRow, name: string): Site {
    const kind = kindOf(request);
    const works = [...this.#works.filter((work) => work.request === request), this.#readBy(request) ?? []].flat();
    const about = [...new Set(works.flatMap((work) => work.about))];
    const traits = {
      ...(kind === 'stream' ? { events: eventsOf(request) } : {}),
      ...(request.path.startsWith('/cdn/objects/') ? { permanent: true } : {}),
      ...(cdnFileExtension(request) === '.png' ? { checksums: true } : {}),
      ...(overlaps(request, this.#peersOf(request)) ? { overlaps: true } : {}),
      ...(request.cut && kind !== 'stream' ? { left: true } : {}),
      // The test itself made this request fail, or cut its response, with a fault rule, which another fault would replace.
      ...(request.fault !== undefined && (isFailed(request) || request.cut) ? { faulted: true } : {}),
      ...(request.status >= 400 ? { refused: true } : {}),
    };
    return { name, kind, about, ...this.#meaning(request), traits, ref: request.id };
  }
}

/** True for an error, and for a response that was lost with its connection. */
function isFailed({ status }: RequestRow): boolean {
  return status >= 400 || status === 0;
}

function isAgain(one: Delivery, other: Delivery): boolean {
  return one.event_id === other.event_id && one.endpoint_id === other.endpoint_id;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function workOf(request: RequestRow): Site['traits'] {
  const medium = mediumOf(request);
  return {
    ...(medium === 'speech' || medium === 'transcription' ? {} : { moderated: medium === 'music' }),
    ...(request.status === 202 ? {} : { synchronous: true }),
  };
}

function mediumOf({ path }: RequestRow): string {
  const [, top, area = '', action] = pathSegments(path);
  if (top === 'hooks') return 'flow';
  return area === 'audio' ? (action === 'speech' ? 'speech' : 'transcription') : area.replace(/s$/, '');
}

function kindOf(request: RequestRow): SiteKind {
  const { method, path, status, job_ids: jobs, run_id: run } = request;
  if (isCdnRequest(request)) return 'cdn';
  if (method === 'GET') return 'read';
  if (run || (jobs.length > 0 && status === 202)) return 'order';
  if (!PAID.test(path)) return 'write';
  return Reflect.get(parseRequestBody(request), 'stream') === true ? 'stream' : 'call';
}

function eventsOf({ answer }: RequestRow): number {
  const lines = (answer ?? '').split('\n').filter((line) => line !== '' && !line.includes('[DONE]'));
  return Math.max(1, lines.length);
}

function overlaps(request: RequestRow, requests: readonly RequestRow[]): boolean {
  const [from, to] = span(request);
  return requests.some((other) => {
    if (other === request || isCdnRequest(other)) return false;
    const [began, ended] = span(other);
    return began < to && ended > from && began >= from;
  });
}

function span({ received_at, duration_ms }: RequestRow): [number, number] {
  const began = Date.parse(received_at);
  return [began, began + duration_ms];
}
