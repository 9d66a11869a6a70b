import { Download, History, Trash2 } from 'lucide-react';
import { callControl } from '../data/call-api.ts';
import { useList } from '../data/queries.ts';
import { Act } from '../pieces/act.tsx';
import { formatNumber } from '../pieces/credits.tsx';
import { RecordDrawer } from '../pieces/record-drawer.tsx';
import type { SnapshotRecord } from './fault-records.ts';
import { SavedAt, SnapshotClock, sizeText } from './snapshot-list.tsx';

/** One snapshot: back to it, out of here with it, or away with it. */
export function SnapshotDrawer({ name, onClose }: { name: string; onClose: () => void }) {
  const { data } = useList<SnapshotRecord>('/snapshots');
  return (
    <RecordDrawer
      {...{ label: 'Snapshot', id: name, onClose }}
      record={data?.find((each) => each.name === name)}
      gone={data && 'There is no such snapshot.'}
      title={() => <code>{name}</code>}
      tools={() => <SnapshotActions name={name} onGone={onClose} />}
      facts={(snapshot) => ({
        Saved: <SavedAt snapshot={snapshot} />,
        'Its clock': <SnapshotClock snapshot={snapshot} />,
        Files: formatNumber(snapshot.files),
        Size: sizeText(snapshot.bytes),
      })}
    />
  );
}

function SnapshotActions({ name, onGone }: { name: string; onGone: () => void }) {
  const path = `/snapshots/${encodeURIComponent(name)}`;
  return (
    <>
      <Act
        text="Restore"
        icon={History}
        look="primary"
        busy="Restoring"
        act={() => callControl('POST', `${path}/restore`)}
        ask={{
          title: `Go back to ${name}?`,
          note: 'Accounts, money, files and clock are as they were. What happened since is lost, unless you save it first.',
        }}
      />
      <a className="button" href={`/_emulator${path}/file`} download={`${name}.tar`}>
        <Download aria-hidden /> Export
      </a>
      <Act
        text="Delete"
        icon={Trash2}
        act={() => callControl('DELETE', path)}
        done={onGone}
        ask={{ title: `Forget ${name}?` }}
      />
    </>
  );
}
