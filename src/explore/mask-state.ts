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
