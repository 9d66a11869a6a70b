import { type RefObject, useLayoutEffect, useRef } from 'react';

interface HeldPlace<Row> {
  box: RefObject<HTMLDivElement | null>;
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Pixels of a row. */
  height: number;
}

/** At most so many new rows are made room for at once; with more, the place is gone. */
const MOST_NEW = 2000;

/** Rows that come in above do not push away what is being read; at the very top the newest stays in sight. */
export function useHeldPlace<Row>({ box, rows, keyOf, height }: HeldPlace<Row>): void {
  const first = useRef<string>(undefined);
  useLayoutEffect(() => {
    const before = first.current;
    const top = rows[0];
    first.current = top === undefined ? undefined : keyOf(top);
    const list = box.current;
    if (!list || before === undefined || before === first.current || list.scrollTop === 0) return;
    const added = rows.slice(0, MOST_NEW).findIndex((row) => keyOf(row) === before);
    if (added > 0) list.scrollTop += added * height;
  }, [box, rows, keyOf, height]);
}
