import { Plus, Trash2 } from 'lucide-react';
import { callControl } from '../data/call-api.ts';
import { useAccounts } from '../data/chosen-account.ts';
import { useAct } from '../data/queries.ts';
import { recordSource } from '../data/record-source.ts';
import { Button } from '../pieces/button.tsx';
import { Choices } from '../pieces/choices.tsx';
import { Confirm } from '../pieces/confirm.tsx';
import { Split } from '../pieces/drawer.tsx';
import { PageHead } from '../pieces/page-head.tsx';
import { sayError } from '../pieces/toast.tsx';
import { useFilter } from '../pieces/use-filter.ts';
import { useOpened } from '../pieces/use-opened.ts';
import { FaultDrawer } from './fault-drawer.tsx';
import { FaultList } from './fault-list.tsx';
import { FaultPresets } from './fault-presets.tsx';
import { NewFaultDrawer } from './new-fault-drawer.tsx';
import { ResetButton } from './reset-button.tsx';
import { SnapshotDrawer } from './snapshot-drawer.tsx';
import { SnapshotList } from './snapshot-list.tsx';
import { SnapshotTools } from './snapshot-tools.tsx';
import './faults.css';
import { OfService } from '../pieces/of-service.tsx';

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
        <span className="page-head-gap" />
        <RemoveAll />
        <OfService>
          <Button look="primary" icon={<Plus aria-hidden />} onClick={() => open(NEW)}>
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
  const remove = useAct(() => Promise.all([callControl('DELETE', '/faults'), callControl('DELETE', '/holds')]));
  return (
    <Confirm
      trigger={
        <Button look="quiet" icon={<Trash2 aria-hidden />}>
          Remove all
        </Button>
      }
      title="Remove all rules?"
      note="Nothing is made to go wrong any more, and what waits goes on."
      action="Remove all"
      onConfirm={() => remove.mutate(undefined, { onError: sayError })}
    />
  );
}

function SnapshotView() {
  const { id: name, open, close } = useOpened('faults');
  return (
    <Split drawer={name && <SnapshotDrawer name={name} onClose={close} />}>
      <PageHead title="Faults and snapshots">
        <ViewChoice />
        <span className="page-head-gap" />
        <ResetButton />
        <SnapshotTools onSaved={open} />
      </PageHead>
      <SnapshotList opened={name} onOpen={open} />
    </Split>
  );
}
