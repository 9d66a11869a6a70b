import type { ReactNode } from 'react';
import type { Column } from './column.ts';
import { RelativeTime, TimeOfDay } from './relative-time.tsx';

/** A column of what matters less than the others. */
export function softColumn<Row>(
  title: string,
  width: string,
  cell: (row: Row) => ReactNode,
  more: Partial<Column<Row>> = {},
): Column<Row> {
  return { title, width, cell: (row) => <span className="soft">{cell(row)}</span>, ...more };
}

/** How long ago something of a row was, or what is said where it never was. */
export function agoColumn<Row>(
  title: string,
  stamp: (row: Row) => number | string | null | undefined,
  { never = '–', ...more }: Partial<Column<Row>> & { never?: string } = {},
): Column<Row> {
  const cell = (row: Row) => {
    const at = stamp(row);
    return at == null ? never : <RelativeTime at={at} />;
  };
  return softColumn(title, '96px', cell, more);
}

/** When a row came, in unix seconds. */
export const TIME_COLUMN: Column<{ created: number }> = softColumn(
  'Time',
  '64px',
  ({ created }) => <TimeOfDay at={created} />,
  { line: 2 },
);
