import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { type Column, ListRow } from './columns.tsx';
import { useIsPhone } from './use-address.ts';
import type { Tone } from './values.tsx';

export interface DataListProps<Row> {
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  /** The key of the row whose drawer is open. */
  opened?: string | undefined;
  onOpen: (key: string) => void;
  /** Shown in place of no rows. */
  empty: ReactNode;
  /** A row that stands out. */
  toneOf?: (row: Row) => Tone | undefined;
  /** Below the last row, as a button for more. */
  foot?: ReactNode;
  /** Rows of another height than one line; on a phone, of another make than two lines of columns. */
  tall?: TallRows<Row>;
  /** Is told which rows are drawn. */
  onDrawn?: (keys: readonly string[]) => void;
}

interface TallRows<Row> {
  /** Pixels, on a wide page and on a phone. */
  wide: number;
  phone: number;
  onPhone: (row: Row) => ReactNode;
}

const HEAD = 32;
const ROW = 32;
const PHONE_ROW = 56;

/** Many rows, of which only those in sight are drawn. Arrows move, Enter opens; a row is a link to its drawer. */
export function DataList<Row>(props: DataListProps<Row>) {
  const { label, rows, keyOf, opened, onOpen, empty, toneOf, foot, tall, onDrawn } = props;
  const isBeside = opened !== undefined;
  const columns = useMemo(() => props.columns.filter(({ wide }) => !wide || !isBeside), [props.columns, isBeside]);
  const isPhone = useIsPhone();
  const height = isPhone ? (tall?.phone ?? PHONE_ROW) : (tall?.wide ?? ROW);
  const box = useRef<HTMLDivElement>(null);
  const prefix = useId();
  const virtual = useRowWindow({ box, count: rows.length, height, isPhone });
  useHeldPlace({ box, rows, keyOf, height });
  const show = (index: number) => virtual.scrollToIndex(index);
  const { active, onKeyDown, activate } = useActiveRow({ rows, keyOf, opened, onOpen, show });
  const drawn = virtual.getVirtualItems();
  const keys = drawn.flatMap(({ index }) => (rows[index] === undefined ? [] : [keyOf(rows[index] as Row)]));
  const shown = keys.join(' ');
  useEffect(() => onDrawn?.(shown === '' ? [] : shown.split(' ')), [shown, onDrawn]);
  if (rows.length === 0) return empty;
  const columnStyle = { '--columns': columns.map(({ width }) => width).join(' ') };
  // Only what is drawn can be pointed at: the drawer may be of a row that is far away, or of none.
  const isDrawn = active !== undefined && keys.includes(active);
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
      <div className="list-rows" role="rowgroup" style={{ height: rows.length * height }}>
        {drawn.map(({ index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          const key = keyOf(row);
          return (
            <ListRow
              key={key}
              id={prefix + key}
              {...{ row, columns, index, isPhone, height }}
              onPhone={tall?.onPhone}
              top={start - virtual.options.scrollMargin}
              isActive={active === key}
              isOpen={opened === key}
              tone={toneOf?.(row)}
              onOpen={() => {
                activate(key);
                onOpen(key);
              }}
            />
          );
        })}
      </div>
      {foot && <div className="padded">{foot}</div>}
    </div>
  );
}

/** Which rows are drawn, of however many there are. */
function useRowWindow({ box, count, height, isPhone }: RowWindow) {
  return useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    overscan: 8,
    scrollMargin: isPhone ? 0 : HEAD,
    scrollPaddingStart: HEAD,
  });
}

interface RowWindow {
  box: RefObject<HTMLDivElement | null>;
  count: number;
  height: number;
  isPhone: boolean;
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
function useActiveRow<Row>({ rows, keyOf, opened, onOpen, show }: ActiveRow<Row>) {
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
function useHeldPlace<Row>({ box, rows, keyOf, height }: HeldPlace<Row>): void {
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
