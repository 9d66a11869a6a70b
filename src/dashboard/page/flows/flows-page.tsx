import { FileJson } from 'lucide-react';
import { useLocation } from 'wouter';
import { at, useOpened } from '../data/addresses.ts';
import { TabbedArea } from '../pieces/drawer.tsx';
import { Button } from '../pieces/page-parts.tsx';
import { FlowDrawer } from './flow-drawer.tsx';
import { FlowEditor } from './flow-editor.tsx';
import { FlowsTab } from './flows-tab.tsx';
import { RunDrawer, RunsTab } from './runs-tab.tsx';

/** The address of an import. */
const NEW = 'new';

/** Flows and their runs; the editor fills the page. */
export default function FlowsPage() {
  const [location, navigate] = useLocation();
  const { id } = useOpened('flows');
  if (id === NEW) return <FlowEditor key={NEW} />;
  if (id !== undefined && location.endsWith('/edit')) return <FlowEditor key={id} id={id} />;
  return (
    <TabbedArea
      area="flows"
      title="Flows"
      tabs={[
        { name: 'flows', text: 'Flows', Contents: FlowsTab, Drawer: FlowDrawer, ids: ['flow_'] },
        { name: 'runs', text: 'Runs', Contents: RunsTab, Drawer: RunDrawer, ids: ['run_'] },
      ]}
      tools={(_tab, { opened }) =>
        !opened && (
          <Button isLiveOnly text="Import" variant="primary" icon={FileJson} onClick={() => navigate(at.flows(NEW))} />
        )
      }
    />
  );
}
