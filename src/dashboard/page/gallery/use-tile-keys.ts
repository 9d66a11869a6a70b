import { type KeyboardEvent, useState } from 'react';

interface TileKeys {
  rows: readonly { tiles: readonly { item: { id: string } }[] }[];
  opened: string | undefined;
  onOpen: (id: string) => void;
  /** Brings a row into sight. */
  show: (row: number) => void;
}

const SIDEWAYS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };
const UPWARD: Record<string, number> = { ArrowUp: -1, ArrowDown: 1, PageUp: -3, PageDown: 3 };
const ENDS: Record<string, number> = { Home: 0, End: -1 };

/** Which tile the keys are at. With a drawer open, moving opens that of the next tile. */
export function useTileKeys({ rows, opened, onOpen, show }: TileKeys) {
  const [chosen, setChosen] = useState<string>();
  // Where the drawer was closed the keys go on.
  if (opened !== undefined && chosen !== opened) setChosen(opened);
  const active = opened ?? chosen;
  const go = (row: number, position: number) => {
    const to = rows[row]?.tiles[position]?.item.id;
    if (to === undefined) return;
    setChosen(to);
    show(row);
    if (opened !== undefined) onOpen(to);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const { key } = event;
    if (key === 'Enter' && active !== undefined) onOpen(active);
    const target = targetOf(rows, active, key);
    if (target) go(...target);
    if (target || key === 'Enter') event.preventDefault();
  };
  return { active, onKeyDown };
}

/** Row and position of the tile to which a key leads. */
function targetOf(rows: TileKeys['rows'], active: string | undefined, key: string): [number, number] | undefined {
  const end = ENDS[key];
  if (end === 0 || (active === undefined && isMove(key))) return [0, 0];
  if (end === -1) return [rows.length - 1, (rows.at(-1)?.tiles.length ?? 1) - 1];
  const row = rows.findIndex(({ tiles }) => tiles.some(({ item }) => item.id === active));
  const position = rows[row]?.tiles.findIndex(({ item }) => item.id === active) ?? 0;
  const side = SIDEWAYS[key];
  if (side !== undefined) return sideways(rows, row, position + side);
  const up = UPWARD[key];
  if (up === undefined) return undefined;
  const next = Math.min(Math.max(row + up, 0), rows.length - 1);
  return [next, Math.min(position, (rows[next]?.tiles.length ?? 1) - 1)];
}

function isMove(key: string): boolean {
  return key in SIDEWAYS || key in UPWARD;
}

function sideways(rows: TileKeys['rows'], row: number, position: number): [number, number] | undefined {
  if (position < 0) return row === 0 ? undefined : [row - 1, (rows[row - 1]?.tiles.length ?? 1) - 1];
  return position < (rows[row]?.tiles.length ?? 0) ? [row, position] : [row + 1, 0];
}
