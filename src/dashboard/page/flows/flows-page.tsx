import * as icons from 'lucide-react';
import { useLocation } from 'wouter';
import { ActionButton } from '../components/action-button.tsx';
import { column, type ListSpec, type OpenRowProps, RecordList, relativeTimeColumn } from '../components/data-list.tsx';
import { RecordDrawer, TabbedPage, type TabDrawerProps } from '../components/drawer.tsx';
import { FieldsForm, type FormValues } from '../components/form.tsx';
import { LinkButton, LiveOnly, Section } from '../components/page-parts.tsx';
import { CopyButton, IdChip, RelativeTime, StatusBadge } from '../components/values.tsx';
import { areaPathBuilders } from '../data/areas.ts';
import { callControl } from '../data/call-api.ts';
import { useFilteredRecords, useRecordFromList, useRows } from '../data/queries.ts';
import type { Flow, FlowRun } from '../data/records.ts';
import { RunDrawer, RunsTab, STEP_ICONS } from './runs.tsx';

type FlowStep = Flow['steps'][number];

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
  search: 'Search flows',
  columns: [
    column('Flow', 'minmax(160px, 2fr)', ({ name }) => name, { line: 1, grow: true }),
    column('Steps', 'minmax(120px, 1fr)', stepsCell, { line: 2, grow: true }),
    column('Last run', '80px', lastRunCell, { line: 2 }),
    relativeTimeColumn('Started', ({ lastRun }) => lastRun?.startedAt, { wide: true }),
  ],
  none: {
    icon: icons.Workflow,
    title: 'No flows yet',
    description:
      'A flow is a series of steps that the service runs for you: write a text, draw an image for it, wait until ' +
      'someone approves. Create one with POST /_emulator/flows.',
  },
};

function FlowsTab(opening: OpenRowProps) {
  const found = useFilteredRecords('listFlows');
  const { data: runs = NO_RUNS } = useRows('listRuns', {});
  const rows = found.rows.map((flow) => ({ ...flow, lastRun: runs.find((run) => run.flow.id === flow.id) }));
  return <RecordList {...FLOWS} {...opening} found={{ ...found, rows }} />;
}

const NO_RUNS: readonly FlowRun[] = [];

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

function lastRunCell({ lastRun }: FlowRow) {
  return lastRun ? <StatusBadge status={lastRun.status} /> : <span className="soft">none</span>;
}

function FlowDrawer({ id, onClose }: TabDrawerProps) {
  return (
    <RecordDrawer
      {...useRecordFromList('listFlows', id)}
      {...{ label: 'Flow', onClose, details: detailsOf }}
      gone="This flow no longer exists. Its runs are kept."
      title={({ name }) => name}
      tools={(flow) => <FlowTools flow={flow} onClose={onClose} />}
      before={(flow) => (
        <LiveOnly>
          <Section title="Start a run">
            <StartForm flow={flow} />
          </Section>
        </LiveOnly>
      )}
    >
      {({ steps }) => (
        <Section title="Steps">
          <ol className="lines framed">
            {steps.map((step, position) => (
              <StepLine key={step.nodeId} step={step} number={position + 1} />
            ))}
          </ol>
        </Section>
      )}
    </RecordDrawer>
  );
}

function detailsOf({ id, workspace_id, account_id, created, hook_url }: Flow) {
  return {
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
  };
}

function StepLine({ step, number }: { step: FlowStep; number: number }) {
  const { nodeId, type, params } = step;
  const Icon = STEP_ICONS[type];
  const prompt = params.prompt ?? params.input ?? params.text ?? params.style ?? params.url;
  return (
    <li className="line">
      <span className="soft fixed">{number}</span>
      <Icon role="img" aria-label={type} />
      <span className="strong cut fixed">{nodeId}</span>
      <span className="soft cut grow">{typeof prompt === 'string' ? prompt : ''}</span>
    </li>
  );
}

function FlowTools({ flow, onClose }: { flow: Flow; onClose: () => void }) {
  const { id, name, steps } = flow;
  return (
    <>
      <LinkButton text="View runs" icon={icons.ListChecks} href={`${areaPathBuilders.flows()}?tab=runs&q=${id}`} />
      <span className="soft">
        JSON <CopyButton text={JSON.stringify({ name, steps }, null, 2)} label="the flow as JSON" />
      </span>
      <ActionButton
        text="Delete"
        icon={icons.Trash2}
        act={() => callControl('removeFlow', { id })}
        toast={['Flow deleted']}
        onSuccess={onClose}
        confirm={{ title: `Delete ${name}?`, note: 'Its hook URL stops working. Runs that have started continue.' }}
      />
    </>
  );
}

const INPUT = /\{\{\s*inputs\.([\w$-]+(?:\.[\w$-]+)*)\s*\}\}/g;

function inputsRead(steps: readonly FlowStep[]): string[] {
  const text = JSON.stringify(steps.map(({ params }) => params));
  return [...new Set([...text.matchAll(INPUT)].map(([, name = '']) => name))];
}

function StartForm({ flow: { id, steps } }: { flow: Flow }) {
  const [, navigate] = useLocation();
  const fields = inputsRead(steps).map((name) => ({ name, label: name, type: 'text', isOptional: true }) as const);
  const start = (draft: FormValues) => callControl('startRun', { id, inputs: asInputs(draft) });
  return (
    <FieldsForm
      {...{ fields, send: start, action: 'Start a run', icon: icons.Play }}
      onSuccess={(run) => navigate(areaPathBuilders.flows(run.id))}
      before={() => fields.length === 0 && <p className="soft">This flow has no inputs.</p>}
    />
  );
}

function asInputs(draft: FormValues): Record<string, unknown> {
  const inputs = {};
  for (const [name, text] of Object.entries(draft).filter(([, text]) => text !== '')) {
    const names = name.split('.');
    const last = names.pop() ?? '';
    let place: Record<string, unknown> = inputs;
    for (const each of names) {
      if (typeof place[each] !== 'object') place[each] = {};
      place = place[each] as Record<string, unknown>;
    }
    place[last] = inputValue(text);
  }
  return inputs;
}

function inputValue(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return String(Number(text)) === text && Number.isFinite(Number(text)) ? Number(text) : text;
}
