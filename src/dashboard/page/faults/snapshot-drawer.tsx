import { Download, History, Trash2 } from 'lucide-react';
import { callControl } from '../data/call-api.ts';
import { useAct, useList } from '../data/queries.ts';
import { Button } from '../pieces/button.tsx';
import { Confirm } from '../pieces/confirm.tsx';
import { formatNumber } from '../pieces/credits.tsx';
import { Drawer } from '../pieces/drawer.tsx';
import { Notice } from '../pieces/error-notice.tsx';
import { Facts, Section } from '../pieces/page-head.tsx';
import { exactTime } from '../pieces/relative-time.tsx';
import { Badge } from '../pieces/status-badge.tsx';
import { sayError } from '../pieces/toast.tsx';
import type { SnapshotRecord } from './fault-records.ts';
import { SavedAt, sizeText } from './snapshot-list.tsx';

/** One snapshot: back to it, out of here with it, or away with it. */
export function SnapshotDrawer({ name, onClose }: { name: string; onClose: () => void }) {
  const { data: snapshots } = useList<SnapshotRecord>('/snapshots');
  const snapshot = snapshots?.find((each) => each.name === name);
  return (
    <Drawer label="Snapshot" title={<code>{name}</code>} onClose={onClose}>
      {snapshots && !snapshot && <Notice tone="plain">There is no such snapshot.</Notice>}
      {snapshot && (
        <>
          <SnapshotActions name={name} onGone={onClose} />
          <Section title="Facts">
            <Facts facts={factsOf(snapshot)} />
          </Section>
        </>
      )}
    </Drawer>
  );
}

function factsOf(snapshot: SnapshotRecord) {
  const { clock, files, bytes } = snapshot;
  return {
    Saved: <SavedAt snapshot={snapshot} />,
    'Its clock': (
      <>
        {exactTime(Date.parse(clock.now) / 1000)} {clock.frozen && <Badge tone="wait">frozen</Badge>}
      </>
    ),
    Files: formatNumber(files),
    Size: sizeText(bytes),
  };
}

function SnapshotActions({ name, onGone }: { name: string; onGone: () => void }) {
  const path = `/snapshots/${encodeURIComponent(name)}`;
  const restore = useAct(() => callControl('POST', `${path}/restore`));
  const remove = useAct(() => callControl('DELETE', path), onGone);
  const onError = sayError;
  return (
    <div className="rule-tools">
      <Confirm
        trigger={
          <Button look="primary" icon={<History aria-hidden />} disabled={restore.isPending}>
            {restore.isPending ? 'Restoring' : 'Restore'}
          </Button>
        }
        title={`Go back to ${name}?`}
        note="Accounts, money, files and clock are as they were. What happened since is lost, unless you save it first."
        action="Restore"
        onConfirm={() => restore.mutate(undefined, { onError })}
      />
      <a className="button" href={`/_emulator${path}/file`} download={`${name}.tar`}>
        <Download aria-hidden /> Export
      </a>
      <Confirm
        trigger={
          <Button icon={<Trash2 aria-hidden />} disabled={remove.isPending}>
            Delete
          </Button>
        }
        title={`Forget ${name}?`}
        action="Delete"
        onConfirm={() => remove.mutate(undefined, { onError })}
      />
    </div>
  );
}
