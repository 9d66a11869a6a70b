import * as icons from 'lucide-react';
import { useLocation } from 'wouter';
import { column, type ListSpec, type OpenRowProps, RecordList, relativeTimeColumn } from '../components/data-list.tsx';
import { RecordDrawer, TabbedPage, type TabDrawerProps } from '../components/drawer.tsx';
import { FieldsForm, type FormValues } from '../components/form.tsx';
import { LinkButton, Section } from '../components/page-parts.tsx';
import { CopyButton, IdChip, RelativeTime, StatusBadge } from '../components/values.tsx';
import { areaPathBuilders } from '../data/areas.ts';
import { callControl } from '../data/call-api.ts';
import { useFilteredRecords, useRecordFromList, useRows } from '../data/queries.ts';
import type { Flow, FlowRun } from '../data/records.ts';
import { RunDrawer, RunsTab, STEP_ICONS } from './runs.tsx';

export default function FlowsPage() {
  return (
    <TabbedPage
      area="flows"
      title="Flows"
      tabs={[
        { name: 'flows', text: 'Flows', Contents: FlowsTab, Drawer: FlowDrawer, ids: ['flow_'] },
        { name: 'runs', text: 'Runs', Contents: RunsTab, Drawer: RunDrawer, ids: ['run_'] },
      ]}
    />
  );
}

interface FlowRow extends Flow {
  lastRun: FlowRun | undefined;
}

const FLOWS: ListSpec<FlowRow> = {
  label: 'Flows',
  columns: [
    column('Flow', 'minmax(160px, 2fr)', ({ name }) => name, { line: 1, grow: true }),
    column('Steps', 'minmax(120px, 1fr)', stepsCell, { line: 2, grow: true }),
    column('Last run', '80px', ({ lastRun }) => (lastRun ? <StatusBadge status={lastRun.status} /> : NO_RUN), {
      line: 2,
    }),
    relativeTimeColumn('Started', ({ lastRun }) => lastRun?.startedAt, { wide: true }),
  ],
  icon: icons.Workflow,
  hint:
    'A flow is a series of steps that the service runs for you: write a text, draw an image for it, wait until ' +
    'someone approves. Create one with POST /_emulator/flows.',
};

function FlowsTab(opening: OpenRowProps) {
  const found = useFilteredRecords('listFlows');
  const { data: runs = [] } = useRows('listRuns', {});
  const rows = found.rows.map((flow) => ({ ...flow, lastRun: runs.find((run) => run.flow.id === flow.id) }));
  return <RecordList {...FLOWS} {...opening} found={{ ...found, rows }} />;
}

function stepsCell({ steps }: Flow) {
  return (
    <span className="row soft" title={steps.map(({ type }) => type).join(', ')}>
      {steps.map(({ nodeId, type }) => {
        const Icon = STEP_ICONS[type];
        return <Icon key={nodeId} role="img" aria-label={type} />;
      })}
    </span>
  );
}

const NO_RUN = <span className="soft">none</span>;

function FlowDrawer({ id, onClose }: TabDrawerProps) {
  return (
    <RecordDrawer
      {...useRecordFromList('listFlows', id)}
      {...{ label: 'Flow', onClose }}
      gone="This flow no longer exists. Its runs are kept."
      title={({ name }) => name}
      tools={({ name, steps }) => (
        <>
          <LinkButton text="View runs" icon={icons.ListChecks} href={`${areaPathBuilders.flows()}?tab=runs&q=${id}`} />
          <span className="soft">
            JSON <CopyButton text={JSON.stringify({ name, steps }, null, 2)} label="the flow as JSON" />
          </span>
        </>
      )}
      remove={({ name }) => ({
        act: () => callControl('removeFlow', { id }),
        toast: ['Flow deleted'],
        confirm: { title: `Delete ${name}?`, note: 'Its hook URL stops working. Runs that have started continue.' },
      })}
      details={({ workspace_id, account_id, created, hook_url }) => ({
        Flow: <IdChip id={id} />,
        Workspace: <IdChip id={workspace_id} />,
        'Paid by': <IdChip id={account_id} />,
        Made: <RelativeTime at={created} />,
        Hook: (
          <>
            <code>{hook_url}</code> <CopyButton text={hook_url} label="the hook URL" />
            <p className="soft small">Anyone with this URL can start a run; the JSON body is its inputs.</p>
          </>
        ),
      })}
      before={(flow) => (
        <Section title="Start a run">
          <StartForm flow={flow} />
        </Section>
      )}
    >
      {({ steps }) => (
        <Section title="Steps">
          <ol className="lines framed">{steps.map(stepLine)}</ol>
        </Section>
      )}
    </RecordDrawer>
  );
}

function stepLine({ nodeId, type, params }: Flow['steps'][number], position: number) {
  const Icon = STEP_ICONS[type];
  const prompt = params.prompt ?? params.input ?? params.text ?? params.style ?? params.url;
  return (
    <li key={nodeId} className="line">
      <span className="soft fixed">{position + 1}</span>
      <Icon role="img" aria-label={type} />
      <span className="strong cut fixed">{nodeId}</span>
      <span className="soft cut grow">{typeof prompt === 'string' ? prompt : ''}</span>
    </li>
  );
}

const INPUT = /\{\{\s*inputs\.([\w$-]+(?:\.[\w$-]+)*)\s*\}\}/g;

function StartForm({ flow: { id, steps } }: { flow: Flow }) {
  const [, navigate] = useLocation();
  const read = JSON.stringify(steps.map(({ params }) => params)).matchAll(INPUT);
  const names = new Set([...read].map(([, name = '']) => name));
  const fields = [...names].map((name) => ({ name, label: name, type: 'text', isOptional: true }) as const);
  return (
    <FieldsForm
      {...{ fields, action: 'Start a run', icon: icons.Play }}
      send={(draft) => callControl('startRun', { id, inputs: asInputs(draft) })}
      onSuccess={(run) => navigate(areaPathBuilders.flows(run.id))}
      before={() => fields.length === 0 && <p className="soft">This flow has no inputs.</p>}
    />
  );
}

function asInputs(draft: FormValues): Record<string, unknown> {
  const inputs = {};
  for (const [name, text] of Object.entries(draft)) {
    if (text === '') continue;
    const names = name.split('.');
    let place: Record<string, unknown> = inputs;
    for (const each of names.slice(0, -1)) {
      if (typeof place[each] !== 'object') place[each] = {};
      place = place[each] as Record<string, unknown>;
    }
    place[names.at(-1) ?? ''] = inputValue(text);
  }
  return inputs;
}

function inputValue(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return String(Number(text)) === text && Number.isFinite(Number(text)) ? Number(text) : text;
}
