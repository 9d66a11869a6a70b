import { useVirtualizer } from '@tanstack/react-virtual';
import { type LucideIcon, SearchX } from 'lucide-react';
import { type CSSProperties, type ReactNode, useEffect, useId, useLayoutEffect, useMemo, useRef } from 'react';
import { type ListFilter, useFilterChoice, useRowKeyboardNavigation, useUrlParam } from '../data/addresses.ts';
import { useIsPhone } from '../data/browser.ts';
import type { FoundRows } from '../data/queries.ts';
import { Button, EmptyState, ErrorNotice, FilterChoices } from './page-parts.tsx';
import { SearchBox } from './search-box.tsx';
import { RelativeTime, TimeOfDay, type Tone } from './values.tsx';

interface DataListProps<Row> {
  label: string;
  rows: readonly Row[];
  columns: readonly ListColumn<Row>[];
  keyOf: (row: Row) => string;
  opened?: string | undefined;
  onOpen: (key: string) => void;
  empty: ReactNode;
  toneOf?: (row: Row) => Tone | undefined;
  foot?: ReactNode;
  rowHeight?: number;
  /** The height of a row on phones, where the styles of the page place its cells. */
  ownPhoneHeight?: number;
  onDrawn?: (keys: readonly string[]) => void;
}

const HEAD = 32;
const ROW = 32;
const PHONE_ROW = 56;

export function DataList<Row>(props: DataListProps<Row>) {
  const { label, rows, keyOf, opened, onOpen, empty, toneOf, foot, ownPhoneHeight, onDrawn, rowHeight = ROW } = props;
  const isPhone = useIsPhone();
  const columns = opened === undefined ? props.columns : props.columns.filter(({ wide }) => !wide);
  const isInLines = isPhone && ownPhoneHeight === undefined;
  const height = isPhone ? (ownPhoneHeight ?? PHONE_ROW) : rowHeight;
  const prefix = useId();
  const ids = useMemo(() => rows.map(keyOf), [rows, keyOf]);
  const { box, virtual } = useVirtualRows({ ids, height, head: isPhone ? 0 : HEAD });
  const show = (index: number) => virtual.scrollToIndex(index);
  const { active, onKeyDown } = useRowKeyboardNavigation({ ids, opened, onOpen, show });
  const items = virtual.getVirtualItems();
  const keys = items.map(({ index }) => ids[index]).join(' ');
  useEffect(() => onDrawn?.(keys === '' ? [] : keys.split(' ')), [keys, onDrawn]);
  if (rows.length === 0) return empty;
  const columnStyle = { '--columns': columns.map(({ width }) => width).join(' ') };
  // True if the active row is rendered, because `aria-activedescendant` may only name an existing element.
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
            <div
              key={key}
              id={prefix + key}
              className="list-row"
              role="row"
              aria-rowindex={index + 2}
              aria-selected={opened === key}
              data-active={active === key ? '' : undefined}
              data-tone={toneOf?.(row)}
              data-lines={isInLines ? 2 : 1}
              style={{ transform: `translateY(${start}px)`, height }}
              onClick={({ target }) => isOfRow(target) && onOpen(key)}
            >
              {isInLines ? inTwoLines(columns, row) : columns.map((column) => cell(column, row))}
            </div>
          );
        })}
      </div>
      {foot && <div className="padded">{foot}</div>}
    </div>
  );
}

const OVERSCAN = 8;

/** New rows do not move the visible ones, unless the list is at its top. */
function useVirtualRows({ ids, height, head }: { ids: readonly string[]; height: number; head: number }) {
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

export interface ListColumn<Row> {
  title: string;
  unseen?: boolean;
  width: string;
  cell: (row: Row) => ReactNode;
  align?: 'end';
  /** The line of the cell on phones. If it is absent, a list without `ownPhoneHeight` hides the column on phones. */
  line?: 1 | 2;
  wide?: boolean;
  grow?: boolean;
}

type ColumnParts<Row, Cell = ReactNode> = [
  title: string,
  width: string,
  cell: (row: Row) => Cell,
  more?: Partial<ListColumn<Row>>,
];

export function column<Row>(...[title, width, cell, more]: ColumnParts<Row>): ListColumn<Row> {
  return { title, width, cell, ...more };
}

export function mutedColumn<Row>(...[title, width, cell, more]: ColumnParts<Row>): ListColumn<Row> {
  return column(title, width, (row) => <span className="soft">{cell(row)}</span>, more);
}

export function textColumn<Row>(...[title, width, textOf, more]: ColumnParts<Row, string>): ListColumn<Row> {
  const cell = (text: string) => (
    <span title={text} dir="auto">
      {text}
    </span>
  );
  return column(title, width, (row) => cell(textOf(row)), more);
}

export function relativeTimeColumn<Row>(
  title: string,
  stamp: (row: Row) => number | string | null | undefined,
  { never = '–', ...more }: Partial<ListColumn<Row>> & { never?: string } = {},
): ListColumn<Row> {
  const cell = (row: Row) => {
    const at = stamp(row);
    return at == null ? never : <RelativeTime at={at} />;
  };
  return mutedColumn(title, '96px', cell, more);
}

export const TIME_COLUMN: ListColumn<{ created: number }> = mutedColumn(
  'Time',
  '64px',
  ({ created }) => <TimeOfDay at={created} />,
  { line: 2 },
);

function inTwoLines<Row>(columns: readonly ListColumn<Row>[], row: Row): ReactNode {
  return [1, 2].map((line) => (
    <div key={line} className="list-line row" data-line={line} role="presentation">
      {columns.filter((column) => column.line === line).map((column) => cell(column, row))}
    </div>
  ));
}

function isOfRow(target: EventTarget): boolean {
  return !(target instanceof Element && target.closest('button, a, label, .popup'));
}

function cell<Row>(column: ListColumn<Row>, row: Row): ReactNode {
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

export interface ListSpec<Row> extends Pick<DataListProps<Row>, 'label' | 'columns' | 'toneOf' | 'rowHeight'> {
  search?: string;
  choices?: ListFilter;
  keyOf?: (row: Row) => string;
  icon: LucideIcon;
  /** The title of the empty list. */
  none?: string;
  hint: ReactNode;
}

export type OpenRowProps = Pick<DataListProps<unknown>, 'opened' | 'onOpen'>;

interface RecordListProps<Row> extends ListSpec<Row>, OpenRowProps {
  found: FoundRows<Row>;
  tools?: ReactNode;
}

export function RecordList<Row extends object>(props: RecordListProps<Row>) {
  const { found, choices, tools, keyOf = idOf, icon, hint, ...list } = props;
  const name = list.label.toLowerCase();
  const { search = `Search ${name}`, none = `No ${name} yet` } = props;
  const { rows, error, isPending, hasMore, more, isFiltered } = found;
  const isChosen = useFilterChoice(choices) !== undefined;
  const older = hasMore && <LoadMore more={more} text={`Show older ${name}`} />;
  const nothing = isFiltered || isChosen ? <NoMatches /> : <EmptyState {...{ icon, title: none, children: hint }} />;
  const empty = !isPending && !error && nothing;
  return (
    <>
      <ListToolbar label={search} {...{ choices }}>
        {tools}
      </ListToolbar>
      <ErrorNotice error={error} />
      <DataList {...{ ...list, rows, keyOf, empty }} foot={older} />
    </>
  );
}

const idOf = (row: object) => ('id' in row ? String(row.id) : '');

export function ListToolbar(props: { label: string; choices?: ListFilter | undefined; children?: ReactNode }) {
  const [q, setQ] = useUrlParam('q');
  return (
    <div className="row wrap ruled padded">
      <SearchBox label={props.label} value={q} onChange={setQ} />
      {props.choices && <FilterChoices {...props.choices} />}
      {props.children}
    </div>
  );
}

/** A button that also presses itself when it is scrolled into view. */
export function LoadMore({ more, text }: { more: FoundRows<unknown>['more']; text: string }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!more || !button.current) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && more());
    observer.observe(button.current);
    return () => observer.disconnect();
  }, [more]);
  return <Button text={text} ref={button} disabled={!more} onClick={more} />;
}

export function NoMatches() {
  return (
    <EmptyState icon={SearchX} title="No results">
      Change the search or the filter.
    </EmptyState>
  );
}
