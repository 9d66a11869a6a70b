export interface FoundPath<Value> {
  value: Value;
  params: Readonly<Record<string, string>>;
}

interface Branch<Value> {
  named: Map<string, Branch<Value>>;
  /** A parameter matches any segment. */
  any: Branch<Value> | undefined;
  end: { value: Value; names: readonly string[] } | undefined;
}

const NO_PARAMS: Readonly<Record<string, string>> = {};

/**
 * Paths such as `/v1/jobs/:id` in a tree. Matches as Express does: case counts, a trailing slash does not, and a fixed
 * segment wins over a parameter.
 */
export class PathTable<Value> {
  /** Most requests are for paths without parameters. */
  readonly plain = new Map<string, FoundPath<Value>>();
  readonly #root: Branch<Value> = branch();

  add(path: string, value: Value): void {
    if (path.includes(':')) this.#grow(path, value);
    else this.plain.set(path, { value, params: NO_PARAMS });
  }

  /** Throws a `URIError` for a parameter that is not percent-encoded UTF-8. */
  find(asked: string): FoundPath<Value> | undefined {
    const path = asked.length > 1 && asked.endsWith('/') ? asked.slice(0, -1) : asked;
    const plain = this.plain.get(path);
    if (plain) return plain;
    const values: string[] = [];
    const end = endOf(this.#root, path.split('/'), { at: 1, values });
    if (!end) return undefined;
    return { value: end.value, params: Object.fromEntries(end.names.map((name, at) => [name, decoded(values[at])])) };
  }

  #grow(path: string, value: Value): void {
    const names: string[] = [];
    let at = this.#root;
    for (const segment of path.split('/').slice(1)) {
      const isParam = segment.startsWith(':');
      if (isParam) names.push(segment.slice(1));
      const next = (isParam ? at.any : at.named.get(segment)) ?? branch<Value>();
      if (isParam) at.any = next;
      else at.named.set(segment, next);
      at = next;
    }
    at.end = { value, names };
  }
}

function branch<Value>(): Branch<Value> {
  return { named: new Map(), any: undefined, end: undefined };
}

/** `values` collects the parameters. */
function endOf<Value>(
  from: Branch<Value>,
  segments: readonly string[],
  { at, values }: { at: number; values: string[] },
): Branch<Value>['end'] {
  const segment = segments[at];
  if (segment === undefined) return from.end;
  const next = from.named.get(segment);
  const found = next && endOf(next, segments, { at: at + 1, values });
  if (found || !from.any || segment === '') return found;
  const before = values.length;
  values.push(segment);
  const end = endOf(from.any, segments, { at: at + 1, values });
  if (!end) values.length = before;
  return end;
}

function decoded(value = ''): string {
  return value.includes('%') ? decodeURIComponent(value) : value;
}
