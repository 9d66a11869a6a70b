/** What stands at a path, and the values of its parameters. */
export interface FoundPath<Place> {
  place: Place;
  params: Readonly<Record<string, string>>;
}

interface Branch<Place> {
  /** By the next piece of the path. */
  named: Map<string, Branch<Place>>;
  /** Where any piece will do. */
  any: Branch<Place> | undefined;
  end: { place: Place; names: readonly string[] } | undefined;
}

const NO_PARAMS: Readonly<Record<string, string>> = {};

/**
 * Paths such as `/v1/jobs/:id`, found without trying one after another. They are told apart as the framework does: by
 * case, one slash at the end means nothing, a piece that is named goes before a parameter, and no parameter is empty.
 */
export class PathTable<Place> {
  /** Those without parameters, which are most of what is asked for. */
  readonly #plain = new Map<string, FoundPath<Place>>();
  readonly #root: Branch<Place> = branch();

  add(path: string, place: Place): void {
    if (path.includes(':')) this.#grow(path, place);
    else this.#plain.set(path, { place, params: NO_PARAMS });
  }

  /** Throws a `URIError` for a parameter that is not percent-encoded UTF-8. */
  find(asked: string): FoundPath<Place> | undefined {
    const path = asked.length > 1 && asked.endsWith('/') ? asked.slice(0, -1) : asked;
    const plain = this.#plain.get(path);
    if (plain) return plain;
    const values: string[] = [];
    const end = ending(this.#root, path.split('/'), { at: 1, values });
    if (!end) return undefined;
    return { place: end.place, params: Object.fromEntries(end.names.map((name, at) => [name, decoded(values[at])])) };
  }

  #grow(path: string, place: Place): void {
    const names: string[] = [];
    let at = this.#root;
    for (const piece of path.split('/').slice(1)) {
      const isParam = piece.startsWith(':');
      if (isParam) names.push(piece.slice(1));
      const next = (isParam ? at.any : at.named.get(piece)) ?? branch<Place>();
      if (isParam) at.any = next;
      else at.named.set(piece, next);
      at = next;
    }
    at.end = { place, names };
  }
}

function branch<Place>(): Branch<Place> {
  return { named: new Map(), any: undefined, end: undefined };
}

/** `values` is what the parameters took, on the way that led to the end. */
function ending<Place>(
  from: Branch<Place>,
  pieces: readonly string[],
  { at, values }: { at: number; values: string[] },
): Branch<Place>['end'] {
  const piece = pieces[at];
  if (piece === undefined) return from.end;
  const next = from.named.get(piece);
  const found = next && ending(next, pieces, { at: at + 1, values });
  if (found || !from.any || piece === '') return found;
  const before = values.length;
  values.push(piece);
  const taken = ending(from.any, pieces, { at: at + 1, values });
  if (!taken) values.length = before;
  return taken;
}

function decoded(value = ''): string {
  return value.includes('%') ? decodeURIComponent(value) : value;
}
