import { useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, type ReactNode, useEffect, useId, useLayoutEffect, useMemo, useRef } from 'react';
import { useActiveKey, useIsPhone } from './browser-hooks.ts';
import { type Column, ListRow } from './columns.tsx';
import type { Tone } from './values.tsx';

export interface DataListProps<Row> {
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  /** The key of the row whose drawer is open. */
  opened?: string | undefined;
  onOpen: (key: string) => void;
  /** Shown when there are no rows. */
  empty: ReactNode;
  /** Highlights a row. */
  toneOf?: (row: Row) => Tone | undefined;
  /** Below the last row, such as a button that loads more. */
  foot?: ReactNode;
  /** Pixels of a row on a wide page, when it has more than one line. */
  rowHeight?: number;
  /** On a phone: rows of another height and layout than two lines of columns. */
  tall?: { height: number; onPhone: (row: Row) => ReactNode };
  /** Called with the keys of the rows that are rendered. */
  onDrawn?: (keys: readonly string[]) => void;
}

const HEAD = 32;
const ROW = 32;
const PHONE_ROW = 56;

/** A grid of which only the visible rows are rendered. The arrow keys move, Enter opens the row's drawer. */
export function DataList<Row>(props: DataListProps<Row>) {
  const { label, rows, keyOf, opened, onOpen, empty, toneOf, foot, tall, onDrawn, rowHeight = ROW } = props;
  const isBeside = opened !== undefined;
  const columns = useMemo(() => props.columns.filter(({ wide }) => !wide || !isBeside), [props.columns, isBeside]);
  const isPhone = useIsPhone();
  const height = isPhone ? (tall?.height ?? PHONE_ROW) : rowHeight;
  const prefix = useId();
  const ids = useMemo(() => rows.map(keyOf), [rows, keyOf]);
  const { box, virtual } = useVirtualRows({ ids, height, head: isPhone ? 0 : HEAD });
  const { active, onKeyDown } = useActiveKey({ ids, opened, onOpen, show: (index) => virtual.scrollToIndex(index) });
  const items = virtual.getVirtualItems();
  const keys = items.map(({ index }) => ids[index]).join(' ');
  useEffect(() => onDrawn?.(keys === '' ? [] : keys.split(' ')), [keys, onDrawn]);
  if (rows.length === 0) return empty;
  const columnStyle = { '--columns': columns.map(({ width }) => width).join(' ') };
  // `aria-activedescendant` may only name an element that is rendered.
  const isDrawn = active !== undefined && items.some(({ index }) => ids[index] === active);
  return (
    <div
      ref={box}
      className="list fill scrolls"
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-activedescendant={isDrawn ? `${prefix}${active}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      style={columnStyle as CSSProperties}
    >
      {!isPhone && <ListHead columns={columns} />}
      <div className="list-rows" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const [row, key] = [rows[index], ids[index]];
          if (row === undefined || key === undefined) return null;
          return (
            <ListRow
              key={key}
              id={prefix + key}
              {...{ row, columns, isPhone, height, index }}
              onPhone={tall?.onPhone}
              top={start}
              isActive={active === key}
              isOpen={opened === key}
              tone={toneOf?.(row)}
              onOpen={() => onOpen(key)}
            />
          );
        })}
      </div>
      {foot && <div className="padded">{foot}</div>}
    </div>
  );
}

/** How many rows are rendered above and below the visible ones. */
const OVERSCAN = 8;

interface VirtualRows {
  ids: readonly string[];
  /** Pixels: of a row, and of the sticky head above them. */
  height: number;
  head: number;
}

/** The rows in view of a scrolling box. New rows above do not move what is being read, except at the very top. */
function useVirtualRows({ ids, height, head }: VirtualRows) {
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: ids.length,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    getItemKey: (index) => ids[index] ?? index,
    overscan: OVERSCAN,
    scrollPaddingEnd: head,
    anchorTo: box.current?.scrollTop ? 'end' : 'start',
  });
  useLayoutEffect(() => {
    if (height > 0) virtual.measure();
  }, [virtual, height]);
  return { box, virtual };
}

function ListHead<Row>({ columns }: Pick<DataListProps<Row>, 'columns'>) {
  return (
    <div role="rowgroup" style={{ display: 'contents' }}>
      <div className="list-head ruled soft small" role="row" aria-rowindex={1}>
        {columns.map(({ title, align, unseen }) => (
          <span key={title} className="list-cell cut" role="columnheader" data-align={align}>
            {unseen ? <span className="unseen">{title}</span> : title}
          </span>
        ))}
      </div>
    </div>
  );
}
