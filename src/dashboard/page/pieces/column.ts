import type { ReactNode } from 'react';

/** A column of a data list. */
export interface Column<Row> {
  title: string;
  /** Its title is for those alone who do not see it. */
  unseen?: boolean;
  /** As in `grid-template-columns`: `80px`, `minmax(0, 1fr)`. */
  width: string;
  cell: (row: Row) => ReactNode;
  align?: 'end';
  /** On which line of a phone's row it stands; without it, a phone does not show it. */
  line?: 1 | 2;
  /** Leaves its room to the drawer while one is open. */
  wide?: boolean;
  /** On a phone it takes what room is left on its line. */
  grow?: boolean;
}
