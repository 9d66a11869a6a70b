import { FileJson } from 'lucide-react';
import { useLocation } from 'wouter';
import { at } from '../data/paths.ts';
import { Choices } from '../pieces/choices.tsx';
import { Split } from '../pieces/drawer.tsx';
import { Button, OfService, PageHead } from '../pieces/page-parts.tsx';
import { useOpened, useTab } from '../pieces/use-address.ts';
import { FlowDrawer } from './flow-drawer.tsx';
import { FlowEditor } from './flow-editor.tsx';
import { FlowsTab } from './flows-tab.tsx';
import { RunDrawer, RunsTab } from './runs-tab.tsx';
import './flows.css';

const TABS = [
  ['flows', 'Flows'],
  ['runs', 'Runs'],
] as const;

/** The address of an import. */
const NEW = 'new';

/** Flows and their runs; the editor takes the whole page. */
export default function FlowsPage() {
  const [location] = useLocation();
  const { id } = useOpened('flows');
  if (id === NEW) return <FlowEditor key={NEW} />;
  if (id !== undefined && location.endsWith('/edit')) return <FlowEditor key={id} id={id} />;
  return <FlowLists />;
}

const tabOf = (id: string) => (id.startsWith('run_') ? 'runs' : 'flows');

function FlowLists() {
  const { id, close, tab, change } = useTab('flows', { fallback: 'flows', tabOf });
  const [, navigate] = useLocation();
  const isRun = tab === 'runs';
  const drawer = id && (isRun ? <RunDrawer id={id} onClose={close} /> : <FlowDrawer id={id} onClose={close} />);
  return (
    <Split drawer={drawer}>
      <PageHead title="Flows">
        <Choices label="Show" value={tab} options={TABS} onChange={change} />
        <span className="grow" />
        {!id && (
          <OfService>
            <Button look="primary" icon={FileJson} onClick={() => navigate(at.flows(NEW))}>
              Import
            </Button>
          </OfService>
        )}
      </PageHead>
      {tab === 'runs' ? <RunsTab /> : <FlowsTab />}
    </Split>
  );
}
