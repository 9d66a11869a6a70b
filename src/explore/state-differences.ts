/** One place at which two states are not the same; what only one of them has is `nothing` in the other. */
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
