import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { HTTP_METHODS, type HttpMethod } from '../../base/http-methods.ts';
import type { RequestRow } from '../runner/run-record.ts';

/**
 * `order`: a request that starts jobs or a flow run, and does not wait for them. `call`: a paid request that returns
 * its result. `stream`: a streamed chat. `write`: an unpaid change. `read`: a GET of the API. `job`: the work of an
 * order or a call. `take`: one take of an order. `delivery`: an event that is sent to an endpoint. `endpoint`: a URL
 * that receives events. `cdn`: a request for a file. `responses`: all responses and events of a test, or of a command
 * without tests.
 */
export type SiteKind =
  | 'order'
  | 'call'
  | 'stream'
  | 'write'
  | 'read'
  | 'job'
  | 'take'
  | 'delivery'
  | 'endpoint'
  | 'cdn'
  | 'responses';

export interface SiteMatch {
  method?: HttpMethod | undefined;
  path?: string;
  contains?: string;
  nth?: number;
  take?: number;
  test?: string;
}

interface SiteTraits {
  /** Another request of the test, not for a file, began while this one was in flight. */
  overlaps?: boolean;
  /** The client hangs up before the response is complete, so a fault in the response may never reach it. */
  left?: boolean;
  moderated?: boolean;
  takes?: number;
  synchronous?: boolean;
  announced?: boolean;
  read?: boolean;
  permanent?: boolean;
  /** The format of the file has checksums, so a client can find a wrong byte. */
  checksums?: boolean;
  /** A delivery of another event to the same endpoint follows this one. */
  followed?: boolean;
  /** The tests themselves apply a fault rule to this site, which another fault would replace. */
  faulted?: boolean;
  /** The service refuses the request without a fault too, so there is no work to lose. */
  refused?: boolean;
  /** The number of events in a stream, without the last `[DONE]`. */
  events?: number;
}

/** A place where a fault can apply. Baseline runs are compared by the names of their sites. */
export interface Site {
  name: string;
  kind: SiteKind;
  /** The orders, takes and endpoints that the site concerns. The plan prefers pairs of sites that share one. */
  about: readonly string[];
  match: SiteMatch;
  /** The test that the site belongs to, if one is reported. `match.nth` counts only requests of this test. */
  test?: string | undefined;
  traits: SiteTraits;
  ref?: string | undefined;
}

export function removeSiteNumber(name: string): string {
  return name.replace(/ #\d+(?= |$)/, '');
}

export type FingerprintsByName = ReadonlyMap<string, readonly string[]>;

/** Ids differ between runs, so names and fingerprints leave them out. */
export const ID_PATTERN = /\b[a-z]{2,5}_[0-9a-f]{12,}\b/g;

export function pathSegments(path: string): string[] {
  return (path.split('?')[0] ?? '').replace(/\.\w+$/, '').split('/');
}

export function isCdnRequest({ path }: RequestRow): boolean {
  return path.startsWith('/cdn/');
}

/** Such as `.png`. Empty for other requests than those for files. */
export function cdnFileExtension(request: RequestRow): string {
  return isCdnRequest(request) ? extname(request.path.split('?')[0] ?? '') : '';
}

/** The name of a read of an image, for which no request returns a new URL. Reads of other files are `GET /cdn`. */
export const IMAGE_READ_SITE_NAME = 'GET /cdn (image)';

export function isJobReadRequest({ method, path }: RequestRow): boolean {
  const [, , area = '', what, id] = pathSegments(path);
  return method === 'GET' && ['videos', 'music'].includes(area) && what === 'generations' && Boolean(id);
}

export function siteNameOfRequest({ method, path }: Pick<RequestRow, 'method' | 'path'>): string {
  const [plain = ''] = path.split('?');
  const named = plain.replace(ID_PATTERN, '{id}').replace(/^(\/hooks\/flows\/)[^/]+/, '$1{token}');
  return `${method} ${named}`;
}

export function requestContentFingerprint({ request, path }: Pick<RequestRow, 'request' | 'path'>): string {
  const query = path.split('?')[1] ?? '';
  const text = `${request ?? ''} ${query}`.replace(ID_PATTERN, '{id}').replace(/https?:\/\/[^/"\s]+/g, '{origin}');
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/**
 * Numbers requests of one name by their fingerprints `marks`. A fingerprint that the baseline run (`plain`) has too
 * gets the same number. The other requests take the numbers that are left, in their order, and then new ones.
 */
export function assignStableNumbers(marks: readonly string[], plain: readonly string[] = []): number[] {
  const free = new Map(plain.map((mark): [string, number[]] => [mark, []]));
  for (const [at, mark] of plain.entries()) free.get(mark)?.push(at);
  const numbers = marks.map((mark) => {
    const at = free.get(mark)?.shift();
    return at === undefined ? undefined : at + 1;
  });
  const left = [...free.values()].flat().sort((a, b) => a - b);
  let next = plain.length;
  return numbers.map((number) => {
    if (number !== undefined) return number;
    const open = left.shift();
    if (open !== undefined) return open + 1;
    next += 1;
    return next;
  });
}

const OBJECT = /^[a-z]{2,5}_[0-9a-f]{12,}/;
const FLOWS = '/hooks/flows/';
const MAX_TEXT = 10_000;
const TEXTS = ['prompt', 'input', 'style', 'lyrics', 'title', 'name'];

export function makeSiteMatch(request: RequestRow, requests: readonly RequestRow[]): SiteMatch {
  const method = HTTP_METHODS.find((each) => each === request.method);
  const path = prefixOf(request);
  const alike = requests.filter((each) => each.method === request.method && each.path.startsWith(path));
  const contains = ownText(request, alike);
  if (contains === undefined) return { method, path, nth: alike.indexOf(request) + 1 };
  const saying = alike.filter((each) => each.request?.includes(JSON.stringify(contains).slice(1, -1)));
  return { method, path, contains, nth: saying.indexOf(request) + 1 };
}

export function matchesRequest({ method, path = '', contains = '' }: SiteMatch, request: RequestRow): boolean {
  if (method !== undefined && request.method !== method) return false;
  return (
    request.path.startsWith(path) &&
    (contains === '' || (request.request?.includes(JSON.stringify(contains).slice(1, -1)) ?? false))
  );
}

function prefixOf({ path }: RequestRow): string {
  if (path.startsWith('/cdn/')) return '/cdn/';
  if (path.startsWith(FLOWS)) return FLOWS;
  const parts = (path.split('?')[0] ?? '').split('/');
  return OBJECT.test(parts.at(-1) ?? '') ? `${parts.slice(0, -1).join('/')}/` : parts.join('/');
}

function ownText(request: RequestRow, alike: readonly RequestRow[]): string | undefined {
  const others = alike.filter((each) => each.request !== request.request);
  if (others.length === 0) return undefined;
  return textsOf(request).find((text) => !others.some((each) => textsOf(each).some((one) => one.includes(text))));
}

function textsOf(request: RequestRow): string[] {
  const body = parseRequestBody(request);
  const direct = TEXTS.map((name) => Reflect.get(body, name));
  const said = [Reflect.get(body, 'messages')].flat().map((each) => Object(each).content);
  const texts = [...direct, ...said].filter((text) => typeof text === 'string');
  return texts.map((text) => withoutDirectives(text).slice(0, MAX_TEXT)).filter((text) => text.length > 2);
}

function withoutDirectives(text: string): string {
  const parts = text.split(/\[\[[^[\]]*\]\]/).map((part) => part.trim());
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), '');
}

export function parseRequestBody({ request }: RequestRow): object {
  try {
    return Object(JSON.parse(request ?? ''));
  } catch {
    return {};
  }
}

/** A hash of the site names of a run. Sites of kind `read` and `responses` are left out, unless there are no others. */
export function siteNamesFingerprint(plain: readonly Pick<Site, 'name' | 'kind'>[]): string {
  const doing = plain.filter(({ kind }) => kind !== 'read' && kind !== 'responses');
  const names = (doing.length > 0 ? doing : plain).map(({ name }) => name).sort();
  return createHash('sha256').update(names.join('\n')).digest('hex').slice(0, 8);
}
