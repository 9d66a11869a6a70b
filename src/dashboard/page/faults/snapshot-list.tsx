import { Camera } from 'lucide-react';
import { browserNow } from '../data/browser-time.ts';
import { useList } from '../data/queries.ts';
import type { Column } from '../pieces/column.ts';
import { formatNumber } from '../pieces/credits.tsx';
import { DataList } from '../pieces/data-list.tsx';
import { EmptyState } from '../pieces/empty-state.tsx';
import { ErrorNotice } from '../pieces/error-notice.tsx';
import { exactTime, relativeTime } from '../pieces/relative-time.tsx';
import { Badge } from '../pieces/status-badge.tsx';
import type { SnapshotRecord } from './fault-records.ts';

const COLUMNS: readonly Column<SnapshotRecord>[] = [
  { title: 'Name', width: 'minmax(160px, 2fr)', cell: nameCell, line: 1, grow: true },
  { title: 'Saved', width: '120px', cell: (each) => <SavedAt snapshot={each} />, line: 2 },
  {
    ...{ title: 'Its clock', width: 'minmax(200px, 1fr)', line: 2, grow: true, wide: true },
    cell: ({ clock }) => (
      <span className="soft">
        {exactTime(Date.parse(clock.now) / 1000)} {clock.frozen && <Badge tone="wait">frozen</Badge>}
      </span>
    ),
  },
  {
    ...{ title: 'Files', width: '64px', align: 'end', wide: true },
    cell: ({ files }) => formatNumber(files),
  },
  { title: 'Size', width: '88px', align: 'end', cell: ({ bytes }) => sizeText(bytes), line: 1 },
];

function nameCell({ name }: SnapshotRecord) {
  return <code title={name}>{name}</code>;
}

/** Snapshots are stamped by the machine's clock: the emulator's goes back with them. */
export function SavedAt({ snapshot }: { snapshot: SnapshotRecord }) {
  const then = Date.parse(snapshot.created) / 1000;
  return (
    <time className="soft" dateTime={snapshot.created} title={exactTime(then)}>
      {relativeTime(then, browserNow() / 1000)}
    </time>
  );
}

/** 12 KB, 3.4 MB. */
export function sizeText(bytes: number): string {
  const megabytes = bytes / 1_000_000;
  if (megabytes >= 1) return `${formatNumber(Math.round(megabytes * 10) / 10)} MB`;
  return `${formatNumber(Math.ceil(bytes / 1000))} KB`;
}

interface SnapshotListProps {
  opened: string | undefined;
  onOpen: (name: string) => void;
}

/** What was saved, newest first. */
export function SnapshotList({ opened, onOpen }: SnapshotListProps) {
  const { data: snapshots = [], error, isPending } = useList<SnapshotRecord>('/snapshots');
  if (error && snapshots.length === 0) return <ErrorNotice error={error} />;
  return (
    <DataList
      label="Snapshots"
      rows={snapshots}
      columns={COLUMNS}
      keyOf={({ name }) => name}
      opened={opened}
      onOpen={onOpen}
      empty={isPending ? null : <NoSnapshots />}
    />
  );
}

function NoSnapshots() {
  return (
    <EmptyState icon={Camera} title="Nothing was saved yet">
      <p>Save the whole state, which is accounts, money, files and clock, and come back to it.</p>
    </EmptyState>
  );
}
