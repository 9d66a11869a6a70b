import { memo, type ReactNode } from 'react';
import type { Column } from './column.ts';
import type { Tone } from './status-badge.tsx';

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

/** A row that only moves is not drawn anew. */
const RowCells = memo(Cells) as typeof Cells;

function Cells<Row>({ row, columns, isPhone, onPhone }: RowContent<Row>): ReactNode {
  if (!isPhone) return columns.map((one) => cell(one, row));
  return onPhone?.(row) ?? <Lines row={row} columns={columns} />;
}

/** A click on something of its own in a row, or in what that has opened, does not open the row. */
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
