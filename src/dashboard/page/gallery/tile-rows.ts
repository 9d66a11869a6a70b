/** A row of tiles of one height, as wide as the grid. */
export interface TileRow<Item> {
  height: number;
  tiles: { item: Item; width: number }[];
}

interface Room {
  /** Pixels: of the grid, of a row at most, and between tiles. */
  width: number;
  height: number;
  gap: number;
}

/** Lays pictures out in rows, each at its own ratio of width to height: a row takes tiles until it is full. */
export function tileRows<Item>(items: readonly Item[], ratioOf: (item: Item) => number, room: Room): TileRow<Item>[] {
  const rows: TileRow<Item>[] = [];
  const open: Item[] = [];
  for (const item of items) {
    open.push(item);
    const height = heightOf(open, ratioOf, room);
    if (height <= room.height) rows.push(rowOf(open.splice(0), ratioOf, height));
  }
  if (open.length > 0) rows.push(rowOf(open, ratioOf, room.height));
  return rows;
}

function heightOf<Item>(row: readonly Item[], ratioOf: (item: Item) => number, { width, gap }: Room): number {
  const ratios = row.reduce((sum, item) => sum + ratioOf(item), 0);
  return (width - gap * (row.length - 1)) / ratios;
}

function rowOf<Item>(row: readonly Item[], ratioOf: (item: Item) => number, height: number): TileRow<Item> {
  return { height, tiles: row.map((item) => ({ item, width: ratioOf(item) * height })) };
}
