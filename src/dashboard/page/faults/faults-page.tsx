import * as icons from 'lucide-react';
import type { ReactNode } from 'react';
import { byteSizeText } from '../../../control/orders/timeline-entry.ts';
import { ActionButton } from '../components/action-button.tsx';
import {
  type column,
  type ListColumn,
  type ListSpec,
  mutedColumn,
  type OpenRowProps,
  RecordList,
  textColumn,
} from '../components/data-list.tsx';
import { RecordDrawer, TabbedPage, type TabDrawerProps } from '../components/drawer.tsx';
import { type FieldSpec, PopupForm } from '../components/form.tsx';
import { Button } from '../components/page-parts.tsx';
import { Badge, formatExactTime, formatNumber } from '../components/values.tsx';
import { callControl } from '../data/call-api.ts';
import { type ListRecord, useLocalSearch, useRecordFromList, useRows } from '../data/queries.ts';
import { NEW_RULE_FORM_ID, RuleDrawer, RuleList } from './fault-rules.tsx';

export default function FaultsPage() {
  return (
    <TabbedPage
      area="faults"
      title="Faults and snapshots"
      word="view"
      tabs={[
        { name: 'faults', text: 'Faults', Contents: RuleList, Drawer: RuleDrawer },
        { name: 'snapshots', text: 'Snapshots', Contents: SnapshotList, Drawer: SnapshotDrawer },
      ]}
      tools={(view, { onOpen }) =>
        view === 'faults' ? (
          <>
            <ActionButton {...REMOVE_ALL} />
            <Button text="New rule" variant="primary" icon={icons.Plus} onClick={() => onOpen(NEW_RULE_FORM_ID)} />
          </>
        ) : (
          <>
            <ActionButton {...RESET} />
            <PopupForm
              text="Save snapshot"
              icon={icons.Camera}
              variant="primary"
              note="Database, files and clock, as they are now."
              action="Save"
              fields={[NAME]}
              send={async ({ name = '' }) => {
                await callControl('saveSnapshot', { name });
                onOpen(name);
              }}
              toast={({ name }) => `Saved as ${name}`}
            />
          </>
        )
      }
    />
  );
}

const REMOVE_ALL = {
  text: 'Remove all',
  icon: icons.Trash2,
  variant: 'quiet' as const,
  act: () => Promise.all([callControl('deleteFaults', {}), callControl('deleteHolds', {})]),
  confirm: { title: 'Remove all rules?', note: 'No more faults are applied, and held messages continue.' },
};

const RESET = {
  text: 'Reset',
  icon: icons.RotateCcw,
  act: () => callControl('resetEmulator', {}),
  confirm: {
    title: 'Reset the emulator?',
    note: 'Accounts, money, jobs, files, flows, faults and clock go back to the seeded state. Snapshots stay.',
  },
};

const NAME: FieldSpec = {
  name: 'name',
  label: 'Name',
  type: 'text',
  pattern: '[A-Za-z0-9._\\-]{1,64}',
  note: 'Letters, digits, dots, dashes and underscores.',
};

/** The exact time, because a relative time would be wrong after a restore, which moves the emulator's clock. */
const timeText = (iso: string) => formatExactTime(Date.parse(iso) / 1000);

function clockCell({ clock }: SavedSnapshot) {
  return (
    <span className="soft">
      {timeText(clock.now)} {clock.frozen && <Badge tone="wait">frozen</Badge>}
    </span>
  );
}

type Snapshot = ListRecord<'listSnapshots'>;
type SavedSnapshot = Exclude<Snapshot, { damaged: true }>;

/** A column whose cell is empty if the snapshot is damaged. */
function savedColumn(...[title, width, cell, more]: Parameters<typeof column<SavedSnapshot>>): ListColumn<Snapshot> {
  return { ...more, title, width, cell: (each) => ('damaged' in each ? null : cell(each)) };
}

const LIST: ListSpec<Snapshot> = {
  label: 'Snapshots',
  columns: [
    textColumn('Name', 'minmax(160px, 2fr)', ({ name }) => name, { line: 1, grow: true }),
    mutedColumn('Saved', '176px', (each) => ('damaged' in each ? DAMAGED : timeText(each.created)), { line: 2 }),
    savedColumn('Clock', 'minmax(200px, 1fr)', clockCell, { wide: true }),
    savedColumn('Files', '64px', ({ files }) => formatNumber(files), { align: 'end', wide: true }),
    savedColumn('Size', '88px', ({ bytes }) => byteSizeText(bytes), { align: 'end', line: 1 }),
  ],
  keyOf: ({ name }) => name,
  icon: icons.Camera,
  hint: 'A snapshot saves all accounts, credits, files and the clock, so that you can restore them.',
};

function SnapshotList(opening: OpenRowProps) {
  return <RecordList {...LIST} {...opening} found={useLocalSearch(useRows('listSnapshots', {}))} />;
}

function SnapshotDrawer({ id: name, onClose }: TabDrawerProps) {
  return (
    <RecordDrawer
      {...useRecordFromList('listSnapshots', name)}
      {...{ label: 'Snapshot', onClose, gone: 'This snapshot was deleted.' }}
      title={() => <code>{name}</code>}
      tools={(snapshot) => (
        <ActionButton
          text="Restore"
          icon={icons.History}
          variant="primary"
          disabled={'damaged' in snapshot}
          busy="Restoring"
          act={() => callControl('restoreSnapshot', { name })}
          confirm={{
            title: `Restore ${name}?`,
            note: 'Accounts, credits, files and the clock return to that state. Everything since then is lost unless you save it first.',
          }}
        />
      )}
      remove={() => ({
        act: () => callControl('removeSnapshot', { name }),
        confirm: { title: `Delete ${name}?` },
      })}
      details={(snapshot): Record<string, ReactNode> =>
        'damaged' in snapshot
          ? { State: DAMAGED }
          : {
              Saved: timeText(snapshot.created),
              Clock: clockCell(snapshot),
              Files: formatNumber(snapshot.files),
              Size: byteSizeText(snapshot.bytes),
            }
      }
    />
  );
}

const DAMAGED = <Badge tone="bad">damaged</Badge>;
