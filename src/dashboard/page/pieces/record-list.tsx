import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Found } from '../data/queries.ts';
import { DataList, type DataListProps } from './data-list.tsx';
import { EmptyState } from './empty-state.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { MoreRows } from './more-rows.tsx';
import { NoneLike } from './none-like.tsx';

interface RecordListProps<Row> extends Pick<DataListProps<Row>, 'label' | 'columns' | 'opened' | 'onOpen' | 'toneOf'> {
  found: Found<Row>;
  keyOf?: (row: Row) => string;
  /** Shown where there is nothing yet. */
  none: { icon: LucideIcon; title: string; children: ReactNode };
  /** Some are left out by a filter or a search. */
  isFiltered: boolean;
  /** Goes on reading as soon as the end of the list is in sight. */
  byItself?: boolean;
}

/** Records of one kind: what went wrong, the rows, what is said of none, and more of them. */
export function RecordList<Row extends object>(props: RecordListProps<Row>) {
  const { found, keyOf = idOf, none, isFiltered, byItself = false, ...list } = props;
  const { rows, error, isPending, hasMore, more, count } = found;
  const older = hasMore && (
    <MoreRows more={more} byItself={byItself}>
      {`Show older ${list.label.toLowerCase()}`}
    </MoreRows>
  );
  const nothing = (
    <EmptyState icon={none.icon} title={none.title}>
      {none.children}
    </EmptyState>
  );
  const noneLike = (
    <NoneLike what={list.label.toLowerCase()} count={count}>
      {older}
    </NoneLike>
  );
  const empty = !isPending && !error && (isFiltered ? noneLike : nothing);
  return (
    <>
      <ErrorNotice error={error} />
      <DataList {...list} rows={rows} keyOf={keyOf} empty={empty} foot={older} />
    </>
  );
}

function idOf(row: object): string {
  return 'id' in row ? String(row.id) : '';
}
