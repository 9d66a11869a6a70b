import type { RequestRow } from './run-record.ts';
import type { StepMatch } from './step.ts';

/** The part of a path that belongs to one object: `job_…`. */
const OBJECT = /^[a-z]{2,5}_[0-9a-f]{12,}/;
const FLOWS = '/hooks/flows/';
/** Where a request says what it wants, in words that a rule can look for. */
const TEXTS = ['prompt', 'input', 'style', 'lyrics', 'title', 'name'];

/** What a rule has to look for to mean this one of all requests of a run. */
export function matchOf(request: RequestRow, requests: readonly RequestRow[]): StepMatch {
  const { method } = request;
  const path = prefixOf(request);
  const alike = requests.filter((each) => each.method === method && each.path.startsWith(path));
  const contains = ownText(request, alike);
  if (contains === undefined) return { method, path, nth: alike.indexOf(request) + 1 };
  const saying = alike.filter((each) => each.request?.includes(JSON.stringify(contains).slice(1, -1)));
  return { method, path, contains, nth: saying.indexOf(request) + 1 };
}

/** Whether a request is one of those that a match counts. */
export function isMeant({ method, path = '', contains = '' }: StepMatch, request: RequestRow): boolean {
  if (method !== undefined && request.method !== method) return false;
  return (
    request.path.startsWith(path) &&
    (contains === '' || (request.request?.includes(JSON.stringify(contains).slice(1, -1)) ?? false))
  );
}

function prefixOf({ path }: RequestRow): string {
  if (path.startsWith('/cdn/')) return '/cdn/';
  // The token of a flow is told to nobody who looks at the record.
  if (path.startsWith(FLOWS)) return FLOWS;
  const parts = (path.split('?')[0] ?? '').split('/');
  return OBJECT.test(parts.at(-1) ?? '') ? `${parts.slice(0, -1).join('/')}/` : parts.join('/');
}

/** A text that requests with other bodies do not have: parallel ones come in any order. */
function ownText(request: RequestRow, alike: readonly RequestRow[]): string | undefined {
  const others = alike.filter((each) => each.request !== request.request);
  if (others.length === 0) return undefined;
  return textsOf(request).find((text) => !others.some((each) => textsOf(each).some((one) => one.includes(text))));
}

function textsOf({ request }: RequestRow): string[] {
  const body = parsed(request);
  const direct = TEXTS.map((name) => Reflect.get(body, name));
  const said = [Reflect.get(body, 'messages')].flat().map((each) => Object(each).content);
  return [...direct, ...said].filter((text): text is string => typeof text === 'string' && text.length > 2);
}

function parsed(text: string | null): object {
  try {
    return Object(JSON.parse(text ?? ''));
  } catch {
    return {};
  }
}
