import { memo, type ReactNode } from 'react';
import { RelativeTime, TimeOfDay, type Tone } from './values.tsx';

/** A column of a data list. */
export interface Column<Row> {
  title: string;
  /** Its title is for those alone who do not see it. */
  unseen?: boolean;
  /** As in `grid-template-columns`: `80px`, `minmax(0, 1fr)`. */
  width: string;
  cell: (row: Row) => ReactNode;
  align?: 'end';
  /** The line of a phone's row that shows it; omitted on phones otherwise. */
  line?: 1 | 2;
  /** Leaves its room to the drawer while one is open. */
  wide?: boolean;
  /** On a phone it takes the rest of its line. */
  grow?: boolean;
}

/** A column of a list. */
export function column<Row>(
  title: string,
  width: string,
  cell: (row: Row) => ReactNode,
  more: Partial<Column<Row>> = {},
): Column<Row> {
  return { title, width, cell, ...more };
}

/** A column in muted text. */
export function softColumn<Row>(
  title: string,
  width: string,
  cell: (row: Row) => ReactNode,
  more: Partial<Column<Row>> = {},
): Column<Row> {
  return column(title, width, (row) => <span className="soft">{cell(row)}</span>, more);
}

/** A column of text that may be truncated; the tooltip has all of it. */
export function textColumn<Row>(
  title: string,
  width: string,
  textOf: (row: Row) => string,
  more: Partial<Column<Row>> = {},
): Column<Row> {
  const cell = (text: string) => (
    <span title={text} dir="auto">
      {text}
    </span>
  );
  return column(title, width, (row) => cell(textOf(row)), more);
}

/** A column of relative times, with a text for rows that have none. */
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

/** The time at which a row was created, in unix seconds. */
export const TIME_COLUMN: Column<{ created: number }> = softColumn(
  'Time',
  '64px',
  ({ created }) => <TimeOfDay at={created} />,
  { line: 2 },
);

interface RowContent<Row> {
  row: Row;
  columns: readonly Column<Row>[];
  isPhone: boolean;
  /** How a phone shows it, where that is no two lines of columns. */
  onPhone?: ((row: Row) => ReactNode) | undefined;
}

interface ListRowProps<Row> extends RowContent<Row> {
  id: string;
  index: number;
  /** Pixels from the first row, and its own. */
  top: number;
  height: number;
  isActive: boolean;
  isOpen: boolean;
  tone: Tone | undefined;
  onOpen: () => void;
}

/** One row of a data list: one line, or two on a phone. */
export function ListRow<Row>(props: ListRowProps<Row>) {
  const { id, row, columns, index, isPhone, top, height, isActive, isOpen, tone, onOpen } = props;
  return (
    <div
      id={id}
      className="list-row"
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isOpen}
      data-active={isActive ? '' : undefined}
      data-tone={tone}
      data-lines={isPhone && !props.onPhone ? 2 : 1}
      style={{ transform: `translateY(${top}px)`, height }}
      onClick={({ target }) => isOfRow(target) && onOpen()}
    >
      <RowCells {...{ row, columns, isPhone }} onPhone={props.onPhone} />
    </div>
  );
}

/** A row that only moves is not rendered again. */
const RowCells = memo(Cells) as typeof Cells;

function Cells<Row>({ row, columns, isPhone, onPhone }: RowContent<Row>): ReactNode {
  if (!isPhone) return columns.map((one) => cell(one, row));
  return onPhone?.(row) ?? <Lines row={row} columns={columns} />;
}

/** A click on a control in a row, or in a popup it opened, does not open the row. */
function isOfRow(target: EventTarget): boolean {
  return !(target instanceof Element && target.closest('button, a, label, .popup'));
}

function Lines<Row>({ row, columns }: Pick<RowContent<Row>, 'row' | 'columns'>): ReactNode {
  return [1, 2].map((line) => (
    <div key={line} className="list-line row" data-line={line} role="presentation">
      {columns.filter((column) => column.line === line).map((column) => cell(column, row))}
    </div>
  ));
}

function cell<Row>(column: Column<Row>, row: Row): ReactNode {
  return (
    <span
      key={column.title}
      className="list-cell cut"
      role="gridcell"
      data-align={column.align}
      data-grow={column.grow ? '' : undefined}
    >
      {column.cell(row)}
    </span>
  );
}
