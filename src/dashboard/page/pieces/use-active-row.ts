import { type KeyboardEvent, useState } from 'react';

interface ActiveRow<Row> {
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  opened: string | undefined;
  onOpen: (key: string) => void;
  /** Brings a row into sight. */
  show: (index: number) => void;
}

const PAGE = 10;

/** By how many rows a key moves; the ends are as far as can be. */
const MOVES: Record<string, number> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: PAGE,
  PageUp: -PAGE,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/** Which row of a list the keys are at. With a drawer open, moving opens that of the next row. */
export function useActiveRow<Row>({ rows, keyOf, opened, onOpen, show }: ActiveRow<Row>) {
  const [key, setKey] = useState<string>();
  const active = key ?? opened;
  const move = (by: number) => {
    const from = rows.findIndex((row) => keyOf(row) === active);
    const to = Math.min(Math.max(from === -1 ? 0 : from + by, 0), rows.length - 1);
    const row = rows[to];
    if (row === undefined) return;
    setKey(keyOf(row));
    show(to);
    if (opened !== undefined) onOpen(keyOf(row));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const by = MOVES[event.key];
    if (by === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    if (by !== undefined) move(by);
    else if (active !== undefined) onOpen(active);
  };
  return { active, onKeyDown, activate: setKey };
}
