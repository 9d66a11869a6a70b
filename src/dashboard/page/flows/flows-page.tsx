import { useQuery } from '@tanstack/react-query';
import * as icons from 'lucide-react';
import { useLocation } from 'wouter';
import type { FlowRecord } from '../../../control/flows.ts';
import { useAccounts } from '../data/account-and-clock.ts';
import { at, useOpened } from '../data/addresses.ts';
import { PageStore, useStore } from '../data/browser.ts';
import { callControl, recordSource } from '../data/call-api.ts';
import { useAction, useDebounced, useList, useListed } from '../data/queries.ts';
import type { AnswerOf } from '../data/records.ts';
import { ActionButton } from '../pieces/action-button.tsx';
import {
  agoColumn,
  column,
  type ListSpec,
  type OpenRow,
  RecordList,
  softColumn,
  useRecords,
} from '../pieces/data-list.tsx';
import { type DrawerOf, RecordDrawer, TabbedArea } from '../pieces/drawer.tsx';
import { type Draft, FieldsForm } from '../pieces/form.tsx';
import {
  Button,
  ErrorNotice,
  FileButton,
  LinkButton,
  LiveOnly,
  Notice,
  PageHead,
  Section,
  showError,
} from '../pieces/page-parts.tsx';
import { CopyButton, counted, IdChip, RelativeTime, StatusBadge, Toned } from '../pieces/values.tsx';
import { type Run, RunDrawer, RunsOf, RunsTab, STEP_ICONS } from './runs.tsx';

type Flow = FlowRecord;
type FlowStep = Flow['steps'][number];

/** The address of an import. */
const NEW = 'new';

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
          <Button
            isLiveOnly
            text="Import"
            variant="primary"
            icon={icons.FileJson}
            onClick={() => navigate(at.flows(NEW))}
          />
        )
      }
    />
  );
}

interface FlowRow extends Flow {
  lastRun: Run | undefined;
}

const FLOWS: ListSpec<FlowRow> = {
  label: 'Flows',
  search: 'Search flows',
  columns: [
    column('Flow', 'minmax(160px, 2fr)', ({ name }) => name, { line: 1, grow: true }),
    column('Steps', 'minmax(120px, 1fr)', stepsCell, { line: 2, grow: true }),
    softColumn('Version', '64px', ({ version }) => version, { align: 'end', wide: true }),
    column('Last run', '80px', lastRunCell, { line: 2 }),
    agoColumn('Started', ({ lastRun }) => lastRun?.startedAt, { wide: true }),
    column('On', '40px', (flow) => <EnabledSwitch flow={flow} />, { line: 1 }),
  ],
  none: {
    icon: icons.Workflow,
    title: 'No flows yet',
    description:
      'A flow is a series of steps the service runs for you: write a text, draw a picture for it, wait until someone ' +
      'approves. Add one with “Import”, which begins with a small example.',
  },
};

function FlowsTab(opening: OpenRow) {
  const found = useRecords<Flow>('/flows');
  const { data: runs = NO_RUNS } = useList<Run>('/runs');
  const rows = found.rows.map((flow) => ({ ...flow, lastRun: runs.find((run) => run.flow.id === flow.id) }));
  return <RecordList {...FLOWS} {...opening} found={{ ...found, rows }} />;
}

const NO_RUNS: readonly Run[] = [];

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

function EnabledSwitch({ flow }: { flow: Flow }) {
  const change = useAction((enabled: boolean) => callControl<Flow>('PATCH', `/flows/${flow.id}`, { enabled }));
  const isOn = change.isPending ? change.variables : flow.enabled;
  return (
    <input
      type="checkbox"
      role="switch"
      aria-label={`${flow.name} is on`}
      disabled={recordSource.value !== undefined}
      aria-checked={isOn}
      checked={isOn}
      onChange={({ target }) => change.mutate(target.checked, { onError: showError })}
      onClick={(event) => event.stopPropagation()}
    />
  );
}

function FlowDrawer({ id, onClose }: DrawerOf) {
  return (
    <RecordDrawer
      {...useListed<Flow>('/flows', id)}
      {...{ label: 'Flow', onClose, facts: factsOf }}
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
        <>
          <Section title="Steps">
            <ol className="lines framed">
              {steps.map((step, position) => (
                <StepLine key={step.nodeId} step={step} number={position + 1} />
              ))}
            </ol>
          </Section>
          <RunsOf id={id} />
        </>
      )}
    </RecordDrawer>
  );
}

function factsOf({ id, version, workspace_id, account_id, created, hook_url }: Flow) {
  return {
    Flow: <IdChip id={id} />,
    Version: version,
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
  const { id, name, steps, enabled } = flow;
  return (
    <>
      <LiveOnly>
        <LinkButton text="Edit" icon={icons.Pencil} href={`${at.flows(id)}/edit`} />
        <LinkButton
          text="Export"
          icon={icons.Download}
          href={`/_emulator/flows/${id}/definition`}
          download={`${name}.json`}
        />
      </LiveOnly>
      <span className="soft">
        JSON <CopyButton text={JSON.stringify({ name, steps }, null, 2)} label="the flow as JSON" />
      </span>
      <ActionButton
        text="Delete"
        icon={icons.Trash2}
        act={() => callControl<void>('DELETE', `/flows/${id}`)}
        toast={['Flow deleted']}
        onSuccess={onClose}
        confirm={{ title: `Delete ${name}?`, note: 'Its hook stops answering. Runs that have started continue.' }}
      />
      <span className="grow" />
      <span className="soft">
        {enabled ? 'On' : 'Off'} <EnabledSwitch flow={flow} />
      </span>
    </>
  );
}

const INPUT = /\{\{\s*inputs\.([\w$-]+(?:\.[\w$-]+)*)\s*\}\}/g;

/** The inputs that the templates of a flow read, in their order: `topic`, `order.items.0`. */
function inputsRead(steps: readonly FlowStep[]): string[] {
  const text = JSON.stringify(steps.map(({ params }) => params));
  return [...new Set([...text.matchAll(INPUT)].map(([, name = '']) => name))];
}

function StartForm({ flow: { id, enabled, steps } }: { flow: Flow }) {
  const [, navigate] = useLocation();
  const fields = inputsRead(steps).map((name) => ({ name, label: name, type: 'text', isOptional: true }) as const);
  const start = (draft: Draft) => callControl<Run>('POST', `/flows/${id}/runs`, { inputs: asInputs(draft) });
  return (
    <FieldsForm
      {...{ fields, send: start, action: 'Start a run', icon: icons.Play }}
      onSuccess={(run) => navigate(at.flows(run.id))}
      before={() => fields.length === 0 && <p className="soft">This flow has no inputs.</p>}
      disabledReason={() => !enabled && 'This flow is off.'}
    />
  );
}

/** Names with dots become objects within objects; what reads as a number, true or false is one. */
function asInputs(draft: Draft): object {
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

const SMALLEST: Pick<Flow, 'name' | 'steps'> = {
  name: 'New flow',
  steps: [{ nodeId: 'text', type: 'text', params: { prompt: 'A few words about {{inputs.topic}}.' } }],
};

/** What was written and is not saved, as long as the page is open: by flow and version. */
const drafts = new PageStore<Readonly<Record<string, string | undefined>>>({});

/** Writes a flow as JSON, one that is there or a new one. */
function FlowEditor({ id }: { id?: string }) {
  const { record: flow, error, isGone } = useListed<Flow>('/flows', id ?? '');
  if (id === undefined) return <Editor given={SMALLEST} />;
  if (flow) return <Editor key={flow.version} given={flow} id={id} />;
  return (
    <>
      <PageHead title="Flows" />
      <ErrorNotice error={error} />
      {isGone && <Notice tone="wait">This flow no longer exists.</Notice>}
    </>
  );
}

function Editor({ given, id }: { given: typeof SMALLEST & { version?: number }; id?: string }) {
  const { name, steps, version } = given;
  const { account } = useAccounts();
  const [, navigate] = useLocation();
  const key = `${id} ${version}`;
  const draft = useStore(drafts)[key];
  const change = (text: string | undefined) => drafts.set({ ...drafts.value, [key]: text });
  const text = draft ?? JSON.stringify({ name, steps }, null, 2);
  const { definition, fault } = readDefinition(text);
  const check = useFlowCheck(definition);
  const isNew = id === undefined;
  const order = isNew ? { ...definition, workspace_id: account?.workspace_id } : definition;
  return (
    <>
      <PageHead title={isNew ? 'Import a flow' : 'Edit the flow'}>
        <LinkButton text="Back" icon={icons.ArrowLeft} href={at.flows(id)} />
        <FileButton
          text="Open a file"
          label="A flow as JSON"
          icon={icons.FileUp}
          accept="application/json,.json"
          onChoose={([file]) => void file?.text().then(change, showError)}
        />
        <span className="grow" />
        <CheckState check={fault === undefined ? check : undefined} />
        {draft !== undefined && <Button text="Discard changes" icon={icons.Undo2} onClick={() => change(undefined)} />}
        <ActionButton
          text={isNew ? 'Create the flow' : 'Save as the next version'}
          variant="primary"
          disabled={fault !== undefined || !check?.ok}
          act={() => callControl<Flow>(isNew ? 'POST' : 'PUT', isNew ? '/flows' : `/flows/${id}/definition`, order)}
          toast={[isNew ? 'Flow created' : `Saved as version ${(version ?? 0) + 1}`]}
          onSuccess={(flow) => {
            change(undefined);
            navigate(at.flows(flow.id));
          }}
        />
      </PageHead>
      <div className="flow-editor form stack fill">
        <Faults fault={fault} check={check} />
        <textarea
          className="input mono"
          aria-label="Flow as JSON"
          spellCheck={false}
          value={text}
          onChange={({ target }) => change(target.value)}
        />
        <p className="soft small">
          Name and steps, as “Export” gives them. A step reads {'{{inputs.topic}}'} of its run, and {'{{steps.1.text}}'}{' '}
          or {'{{steps.1.url}}'} of an earlier step.
        </p>
      </div>
    </>
  );
}

function Faults({ fault, check }: { fault: string | undefined; check: FlowCheck | undefined }) {
  if (fault !== undefined) return <Notice tone="bad">{fault}</Notice>;
  return check?.errors.map(({ message, param }) => <ErrorNotice key={param} error={{ message, code: param }} />);
}

function CheckState({ check }: { check: FlowCheck | undefined }) {
  if (!check) return <span className="soft">Checking</span>;
  if (check.ok) return <Toned tone="good">Nothing is wrong with it</Toned>;
  return <Toned tone="bad">{counted(check.errors.length, 'problem')}</Toned>;
}

type FlowCheck = AnswerOf<'checkFlow'>;

/** Has the emulator check a flow as it is written; undefined while the answer is of an earlier text. */
function useFlowCheck(definition: object | undefined): FlowCheck | undefined {
  const settled = useDebounced(definition);
  const { data } = useQuery({
    queryKey: ['flow check', settled],
    queryFn: () => callControl<FlowCheck>('POST', '/check-flow', settled),
    enabled: settled !== undefined,
  });
  return JSON.stringify(settled) === JSON.stringify(definition) ? data : undefined;
}

function readDefinition(text: string): { definition?: object; fault?: string } {
  try {
    const { name = null, steps = null } = Object(JSON.parse(text));
    return { definition: { name, steps } };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}
