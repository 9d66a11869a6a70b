import { Megaphone, SearchX } from 'lucide-react';
import { usePages } from '../data/queries.ts';
import { Button } from '../pieces/button.tsx';
import type { Column } from '../pieces/column.ts';
import { DataList } from '../pieces/data-list.tsx';
import { EmptyState } from '../pieces/empty-state.tsx';
import { ErrorNotice } from '../pieces/error-notice.tsx';
import { shortId } from '../pieces/id-chip.tsx';
import { TIME_COLUMN } from '../pieces/time-column.tsx';
import { useFilter } from '../pieces/use-filter.ts';
import { useOpened } from '../pieces/use-opened.ts';
import { ListTools, useOwner } from './list-tools.tsx';
import type { EventRecord } from './sent-records.ts';

const keyOf = ({ id }: EventRecord) => id;

const COLUMNS: readonly Column<EventRecord>[] = [
  TIME_COLUMN,
  { title: 'Event', width: 'minmax(200px, 1fr)', cell: ({ type }) => type, line: 1, grow: true },
  { title: 'About', width: 'minmax(160px, 2fr)', cell: aboutOf, line: 2, grow: true },
  {
    title: 'Account',
    width: '136px',
    cell: ({ account_id: id }) => (
      <code className="soft" title={id}>
        {shortId(id)}
      </code>
    ),
    wide: true,
  },
  {
    title: 'Id',
    width: '128px',
    cell: ({ id }) => <code className="soft">{shortId(id)}</code>,
    line: 1,
  },
];

/** Every event, whether or not anybody subscribes to it. */
export function EventsTab() {
  const { id, open } = useOpened('webhooks');
  const [text] = useFilter('q');
  const params = useOwner();
  const { rows, error, isPending, more } = usePages<EventRecord>('/events', { params });
  const shown = rows.filter((row) =>
    `${row.id} ${row.type} ${row.account_id} ${aboutOf(row)}`.toLowerCase().includes(text.toLowerCase()),
  );
  return (
    <>
      <ListTools label="Search events" />
      <ErrorNotice error={error} />
      <DataList
        label="Events"
        rows={shown}
        columns={COLUMNS}
        keyOf={keyOf}
        opened={id}
        onOpen={open}
        empty={isPending ? null : <NoEvents isFiltered={rows.length > 0} />}
        foot={more && <Button onClick={more}>Show older events</Button>}
      />
    </>
  );
}

/** What an event tells of, in a few words: a prompt, a flow, an error. */
function aboutOf({ envelope: { data } }: EventRecord): string {
  const { flow, run, error, prompt, failure } = data as Record<string, unknown>;
  const words = [wordOf(flow, 'name'), wordOf(run, 'id'), wordOf(failure, 'message')];
  return [prompt, ...words, wordOf(error, 'message'), data.id].filter((word) => typeof word === 'string').join(' · ');
}

function wordOf(record: unknown, field: string): unknown {
  return typeof record === 'object' && record !== null ? (record as Record<string, unknown>)[field] : undefined;
}

function NoEvents({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <EmptyState icon={SearchX} title="No event is like this">
        <p>Change the search above.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={Megaphone} title="No event has happened yet">
      <p>Renders and runs announce their end. Make a picture, or send a sample.</p>
    </EmptyState>
  );
}
