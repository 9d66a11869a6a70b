import { Camera, Plus, RotateCcw, Trash2 } from 'lucide-react';
import { callControl, recordSource } from '../data/call-api.ts';
import { ActionButton } from '../pieces/action-button.tsx';
import { type DrawerOf, TabbedArea } from '../pieces/drawer.tsx';
import { PopupForm } from '../pieces/form.tsx';
import type { FieldSpec } from '../pieces/form-field.tsx';
import { Button } from '../pieces/page-parts.tsx';
import type { OpenRow } from '../pieces/record-list.tsx';
import { FaultDrawer, FaultList } from './fault-list.tsx';
import { NewFaultDrawer } from './new-rule.tsx';
import { ImportSnapshot, SnapshotDrawer, SnapshotList } from './snapshots.tsx';

/** In place of an id: the form for a rule. */
const NEW = 'new';

/** What is made to go wrong, and states to come back to. */
export default function FaultsPage() {
  return (
    <TabbedArea
      area="faults"
      title={recordSource.value ? 'Faults' : 'Faults and snapshots'}
      word="view"
      tabs={[
        { name: 'faults', text: 'Faults', Contents: FaultList, Drawer: RuleOrNew },
        { name: 'snapshots', text: 'Snapshots', Contents: SnapshotList, Drawer: SnapshotDrawer, isLiveOnly: true },
      ]}
      tools={(view, { onOpen }) => (view === 'faults' ? <RuleTools onOpen={onOpen} /> : <StateTools onOpen={onOpen} />)}
    />
  );
}

function RuleOrNew(props: DrawerOf) {
  return props.id === NEW ? <NewFaultDrawer {...props} /> : <FaultDrawer {...props} />;
}

function RuleTools({ onOpen }: Pick<OpenRow, 'onOpen'>) {
  return (
    <>
      <ActionButton {...REMOVE_ALL} />
      <Button isLiveOnly text="New rule" variant="primary" icon={Plus} onClick={() => onOpen(NEW)} />
    </>
  );
}

const REMOVE_ALL = {
  ...{ text: 'Remove all', icon: Trash2, variant: 'quiet' as const },
  act: () => Promise.all([callControl('DELETE', '/faults'), callControl('DELETE', '/holds')]),
  confirm: { title: 'Remove all rules?', note: 'No more faults are applied, and held messages continue.' },
};

/** Back to the seeded state. */
const RESET = {
  ...{ text: 'Reset', icon: RotateCcw },
  act: () => callControl('POST', '/reset'),
  confirm: {
    title: 'Reset the emulator?',
    note: 'Accounts, money, jobs, files, flows, faults and clock go back to the seeded state. Snapshots stay.',
  },
};

function StateTools({ onOpen }: Pick<OpenRow, 'onOpen'>) {
  return (
    <>
      <ActionButton {...RESET} />
      <ImportSnapshot onDone={onOpen} />
      <PopupForm
        text="Save the state"
        icon={Camera}
        variant="primary"
        note="Database, files and clock, as they are now."
        action="Save"
        fields={[NAME]}
        send={async ({ name = '' }) => {
          await callControl('POST', '/snapshots', { name });
          onOpen(name);
        }}
        toast={({ name }) => `Saved as ${name}`}
      />
    </>
  );
}

const NAME: FieldSpec = {
  ...{ name: 'name', label: 'Name', type: 'text', pattern: '[A-Za-z0-9._\\-]{1,64}' },
  note: 'Letters, digits, dots, dashes and underscores.',
};
