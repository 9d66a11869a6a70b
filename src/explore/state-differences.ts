/** When what belongs to a run first stirred, and when it ended, in milliseconds of the machine's time. */
export interface Span {
  made: number;
  ended: number;
}

const ID = /\b[a-z]{2,5}_[0-9a-f]{12,}\b/g;
const SECRET = /\b(?:svc_sk|whsec)_[A-Za-z0-9_]+/g;
const URL_OF_EMULATOR = /https?:\/\/[^\s"]*\/cdn\/[^\s"]*/g;
const ORIGIN = /https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?/g;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
/** What a clock may be off. */
const SLACK = 2000;

/** A state as it is compared: lists in any order, and all that differs from run to run by its nature masked. */
export function maskedState(state: unknown, span: Span, hidden: readonly string[]): string {
  return JSON.stringify(masked(state, span, new Set(hidden)));
}

function masked(value: unknown, span: Span, hidden: ReadonlySet<string>): unknown {
  if (typeof value === 'string') return maskedText(value, span);
  if (typeof value === 'number') return isTime(value, span) ? '(time)' : value;
  if (Array.isArray(value)) {
    return value
      .map((each) => JSON.stringify(masked(each, span, hidden)))
      .sort()
      .map((text) => JSON.parse(text) as unknown);
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value)
    .map(([name, each]): [string, unknown] => [
      maskedText(name, span),
      hidden.has(name) ? '(masked)' : masked(each, span, hidden),
    ])
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(numbered(fields));
}

/** Names that are ids would else cover one another. */
function numbered(fields: readonly [string, unknown][]): [string, unknown][] {
  const sorted = fields.toSorted(([a, x], [b, y]) => {
    const [one, other] = [`${a} ${JSON.stringify(x)}`, `${b} ${JSON.stringify(y)}`];
    return one < other ? -1 : 1;
  });
  const counts = new Map<string, number>();
  return sorted.map(([name, value]) => {
    const n = counts.get(name) ?? 0;
    counts.set(name, n + 1);
    return [n === 0 ? name : `${name} ${n}`, value];
  });
}

function maskedText(text: string, span: Span): string {
  if (ISO.test(text) && isTime(Date.parse(text), span)) return '(time)';
  return text
    .replace(URL_OF_EMULATOR, '(url)')
    .replace(ORIGIN, '(origin)')
    .replace(SECRET, '(secret)')
    .replace(ID, '(id)');
}

function isTime(value: number, { made, ended }: Span): boolean {
  const isWithin = (milliseconds: number) => milliseconds >= made - SLACK && milliseconds <= ended + SLACK;
  return isWithin(value) || isWithin(value * 1000);
}

/** One path at which two states differ; what only one of them has is `nothing` in the other. */
export interface Difference {
  /** Such as `orders.0.state`. */
  path: string;
  was: string;
  is: string;
}

const SHOWN = 60;

/** In what a state is not that of the nearest of others; all are masked states, as JSON. */
export function nearestDifferences(state: string, others: readonly string[]): Difference[] {
  const is: unknown = JSON.parse(state);
  const all = others.map((other) => differencesOf('', JSON.parse(other), is));
  return all.sort((a, b) => a.length - b.length)[0] ?? [];
}

function differencesOf(path: string, was: unknown, is: unknown): Difference[] {
  if (!isNested(was) || !isNested(is)) {
    const [one, other] = [textOf(was), textOf(is)];
    return one === other ? [] : [{ path: path || 'the state', was: shown(one), is: shown(other) }];
  }
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  return names.flatMap((name) =>
    differencesOf(path === '' ? name : `${path}.${name}`, Reflect.get(was, name), Reflect.get(is, name)),
  );
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function textOf(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

function shown(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN - 1)}…` : text;
}
