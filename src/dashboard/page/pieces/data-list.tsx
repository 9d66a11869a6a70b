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
  /** Pixels of a row on a wide page, where that is more than one line. */
  rowHeight?: number;
  /** On a phone: rows of another height and make than two lines of columns. */
  tall?: { height: number; onPhone: (row: Row) => ReactNode };
  /** Is told which rows are drawn. */
  onDrawn?: (keys: readonly string[]) => void;
}

const HEAD = 32;
const ROW = 32;
const PHONE_ROW = 56;

/** Many rows, of which only those in sight are drawn. Arrows move, Enter opens; a row is a link to its drawer. */
export function DataList<Row>(props: DataListProps<Row>) {
  const { label, rows, keyOf, opened, onOpen, empty, toneOf, foot, tall, onDrawn, rowHeight = ROW } = props;
  const isBeside = opened !== undefined;
  const columns = useMemo(() => props.columns.filter(({ wide }) => !wide || !isBeside), [props.columns, isBeside]);
  const isPhone = useIsPhone();
  const height = isPhone ? (tall?.height ?? PHONE_ROW) : rowHeight;
  const box = useRef<HTMLDivElement>(null);
  const prefix = useId();
  const { from, to, show } = useRowWindow({ box, count: rows.length, height, head: isPhone ? 0 : HEAD });
  useHeldPlace({ box, rows, keyOf, height });
  const ids = useMemo(() => rows.map(keyOf), [rows, keyOf]);
  const { active, onKeyDown } = useActiveKey({ ids, opened, onOpen, show });
  const keys = ids.slice(from, to);
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
        {rows.slice(from, to).map((row, at) => {
          const key = keyOf(row);
          return (
            <ListRow
              key={key}
              id={prefix + key}
              {...{ row, columns, isPhone, height }}
              onPhone={tall?.onPhone}
              index={from + at}
              top={(from + at) * height}
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

interface RowWindow {
  box: RefObject<HTMLDivElement | null>;
  count: number;
  /** Pixels: of a row, and of what stays above them. */
  height: number;
  head: number;
}

/** So many rows are drawn before and after those in sight. */
const BESIDE = 8;

/** Which rows are drawn, of however many there are: all from one to before another; `show` brings one into sight. */
function useRowWindow({ box, count, height, head }: RowWindow) {
  const [sight, setSight] = useState({ from: 0, to: 0 });
  const isThere = count > 0;
  useLayoutEffect(() => {
    const list = box.current;
    if (!list || !isThere) return;
    const look = () => {
      const from = Math.max(0, Math.floor(list.scrollTop / height) - BESIDE);
      const to = Math.ceil((list.scrollTop + list.clientHeight) / height) + BESIDE;
      setSight((before) => (before.from === from && before.to === to ? before : { from, to }));
    };
    const resized = new ResizeObserver(look);
    resized.observe(list);
    list.addEventListener('scroll', look, { passive: true });
    look();
    return () => {
      resized.disconnect();
      list.removeEventListener('scroll', look);
    };
  }, [box, height, isThere]);
  const show = (index: number) => {
    const list = box.current;
    if (!list) return;
    const end = index === count - 1 ? list.scrollHeight : head + (index + 1) * height;
    list.scrollTop = Math.min(index * height, Math.max(list.scrollTop, end - list.clientHeight));
  };
  return { ...sight, show };
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

function clamp(place: number, last: number): number {
  return Math.min(Math.max(place, 0), last);
}

interface ActiveKey extends Pick<DataListProps<unknown>, 'opened' | 'onOpen'> {
  ids: readonly string[];
  /** By how many places a key moves from one of them; undefined for other keys. */
  moveBy?: (key: string, from: number) => number | undefined;
  /** Brings one into sight. */
  show: (place: number) => void;
}

/** At which of some the keys are. While one is open, moving opens the next. */
export function useActiveKey({ ids, opened, onOpen, moveBy = (key) => MOVES[key], show }: ActiveKey) {
  const [chosen, setChosen] = useState<string>();
  // Where it was closed the keys go on.
  if (opened !== undefined && chosen !== opened) setChosen(opened);
  const active = opened ?? chosen;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const from = ids.indexOf(active ?? '');
    const by = event.key === 'Enter' ? 0 : moveBy(event.key, from);
    if (by === undefined) return;
    event.preventDefault();
    const to = from === -1 && Number.isFinite(by) ? 0 : clamp(from + by, ids.length - 1);
    const id = by === 0 ? active : ids[to];
    if (id !== undefined) go(id, to, by === 0 || opened !== undefined);
  };
  const go = (id: string, place: number, opens: boolean) => {
    setChosen(id);
    show(place);
    if (opens) onOpen(id);
  };
  return { active, onKeyDown };
}

type HeldPlace<Row> = Pick<RowWindow, 'box' | 'height'> & Pick<DataListProps<Row>, 'rows' | 'keyOf'>;

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
