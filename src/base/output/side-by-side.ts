/** An item of one row and the same of another, or an item that only one of them has. */
export type Pair<Item> = readonly [Item | undefined, Item | undefined];

/** Two rows, paired wherever their order allows: by the longest row of names that both have in the same order. */
export function sideBySide<Item>(a: readonly Item[], b: readonly Item[], nameOf: (item: Item) => string): Pair<Item>[] {
  const [names, others] = [a.map(nameOf), b.map(nameOf)];
  const lengths = commonLengths(names, others);
  const pairs: Pair<Item>[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const isOwn = j >= b.length || (i < a.length && at(lengths, i + 1, j) >= at(lengths, i, j + 1));
    if (i < a.length && j < b.length && names[i] === others[j]) pairs.push([a[i++], b[j++]]);
    else pairs.push(isOwn ? [a[i++], undefined] : [undefined, b[j++]]);
  }
  return pairs;
}

/** How many names both have in common from each two positions on. */
function commonLengths(a: readonly string[], b: readonly string[]): Uint16Array[] {
  const rows = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const row = rows[i];
      if (!row) continue;
      row[j] = a[i] === b[j] ? at(rows, i + 1, j + 1) + 1 : Math.max(at(rows, i + 1, j), at(rows, i, j + 1));
    }
  }
  return rows;
}

function at(rows: readonly Uint16Array[], i: number, j: number): number {
  return rows[i]?.[j] ?? 0;
}
