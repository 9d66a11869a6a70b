import { Camera } from 'lucide-react';
import { browserNow } from '../data/browser-time.ts';
import type { Column } from '../pieces/column.ts';
import { formatNumber } from '../pieces/credits.tsx';
import { ListTools } from '../pieces/list-tools.tsx';
import { RecordList } from '../pieces/record-list.tsx';
import { exactTime, relativeTime } from '../pieces/relative-time.tsx';
import { Badge } from '../pieces/status-badge.tsx';
import { useWhole } from '../pieces/use-whole.ts';
import type { SnapshotRecord } from './fault-records.ts';

const COLUMNS: readonly Column<SnapshotRecord>[] = [
  { title: 'Name', width: 'minmax(160px, 2fr)', cell: nameCell, line: 1, grow: true },
  { title: 'Saved', width: '120px', cell: (each) => <SavedAt snapshot={each} />, line: 2 },
  {
    ...{ title: 'Its clock', width: 'minmax(200px, 1fr)', line: 2, grow: true, wide: true },
    cell: (each) => <SnapshotClock snapshot={each} />,
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

export function SnapshotClock({ snapshot: { clock } }: { snapshot: SnapshotRecord }) {
  return (
    <span className="soft">
      {exactTime(Date.parse(clock.now) / 1000)} {clock.frozen && <Badge tone="wait">frozen</Badge>}
    </span>
  );
}

/** 12 KB, 3.4 MB. */
export function sizeText(bytes: number): string {
  const megabytes = bytes / 1_000_000;
  if (megabytes >= 1) return `${formatNumber(Math.round(megabytes * 10) / 10)} MB`;
  return `${formatNumber(Math.ceil(bytes / 1000))} KB`;
}

const NONE = {
  icon: Camera,
  title: 'Nothing was saved yet',
  children: <p>Save the whole state, which is accounts, money, files and clock, and come back to it.</p>,
};

/** What was saved, newest first. */
export function SnapshotList(opening: { opened: string | undefined; onOpen: (name: string) => void }) {
  const found = useWhole<SnapshotRecord>('/snapshots');
  return (
    <>
      <ListTools label="Search snapshots" />
      <RecordList
        label="Snapshots"
        {...{ found, columns: COLUMNS, none: NONE, ...opening }}
        keyOf={({ name }) => name}
        isFiltered={found.all.length > 0}
      />
    </>
  );
}
