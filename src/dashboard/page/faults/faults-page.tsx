import { Camera, Plus, RotateCcw, Trash2 } from 'lucide-react';
import { callControl, recordSource } from '../data/call-api.ts';
import { useAccounts } from '../data/chosen-account.ts';
import { Act } from '../pieces/act.tsx';
import { Choices } from '../pieces/choices.tsx';
import { Split } from '../pieces/drawer.tsx';
import type { FieldSpec } from '../pieces/form-field.tsx';
import { Button, OfService, PageHead } from '../pieces/page-parts.tsx';
import { PopupForm } from '../pieces/popup-form.tsx';
import { useFilter, useOpened } from '../pieces/use-address.ts';
import { FaultDrawer, FaultList } from './fault-list.tsx';
import { FaultPresets, NewFaultDrawer } from './new-fault.tsx';
import { ImportSnapshot, SnapshotDrawer, SnapshotList } from './snapshot-list.tsx';
import './faults.css';

const VIEWS = [
  ['faults', 'Faults'],
  ['snapshots', 'Snapshots'],
] as const;

/** In place of an id: the form for a rule. */
const NEW = 'new';

/** What is made to go wrong, and states to come back to. */
export default function FaultsPage() {
  const [view] = useFilter('view', 'faults');
  return view === 'snapshots' ? <SnapshotView /> : <FaultView />;
}

function ViewChoice() {
  const [view, setView] = useFilter('view', 'faults');
  return <Choices label="View" value={view} options={VIEWS} onChange={setView} />;
}

function FaultView() {
  const { account } = useAccounts();
  const { id, open, close } = useOpened('faults');
  const drawer =
    id === NEW ? (
      <NewFaultDrawer account={account} onMade={open} onClose={close} />
    ) : (
      id && <FaultDrawer id={id} onClose={close} />
    );
  return (
    <Split drawer={drawer}>
      <PageHead title={recordSource.value ? 'Faults' : 'Faults and snapshots'}>
        <OfService>
          <ViewChoice />
        </OfService>
        <span className="grow" />
        <RemoveAll />
        <OfService>
          <Button look="primary" icon={Plus} onClick={() => open(NEW)}>
            New rule
          </Button>
        </OfService>
      </PageHead>
      <OfService>
        <FaultPresets account={account} />
      </OfService>
      <FaultList accountId={account?.id} opened={id} onOpen={open} />
    </Split>
  );
}

function RemoveAll() {
  return (
    <Act
      text="Remove all"
      icon={Trash2}
      look="quiet"
      act={() => Promise.all([callControl('DELETE', '/faults'), callControl('DELETE', '/holds')])}
      ask={{ title: 'Remove all rules?', note: 'Nothing is made to go wrong any more, and what waits goes on.' }}
    />
  );
}

/** Back to the seeded state. */
const RESET = {
  ...{ text: 'Reset', icon: RotateCcw },
  act: () => callControl('POST', '/reset'),
  ask: {
    title: 'Reset the emulator?',
    note: 'Accounts, money, jobs, files, flows, faults and clock go back to the seeded state. Snapshots stay.',
  },
};

function SnapshotView() {
  const { id: name, open, close } = useOpened('faults');
  return (
    <Split drawer={name && <SnapshotDrawer name={name} onClose={close} />}>
      <PageHead title="Faults and snapshots">
        <ViewChoice />
        <span className="grow" />
        <Act {...RESET} />
        <ImportSnapshot onDone={open} />
        <PopupForm
          text="Save the state"
          icon={Camera}
          look="primary"
          note="Database, files and clock, as they are now."
          action="Save"
          fields={[NAME]}
          send={async ({ name: given = '' }) => {
            await callControl('POST', '/snapshots', { name: given });
            open(given);
          }}
          said={({ name: given }) => `Saved as ${given}`}
        />
      </PageHead>
      <SnapshotList opened={name} onOpen={open} />
    </Split>
  );
}

const NAME: FieldSpec = {
  ...{ name: 'name', label: 'Name', type: 'text', pattern: '[A-Za-z0-9._\\-]{1,64}' },
  note: 'Letters, digits, dots, dashes and underscores.',
};
