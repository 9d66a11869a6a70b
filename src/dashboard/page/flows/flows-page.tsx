import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, Download, FileJson, FileUp, Pencil, Play, RefreshCw, Trash2, Undo2 } from 'lucide-react';
import { Link, useLocation } from 'wouter';
import { useAccounts } from '../data/account-and-clock.ts';
import { at, useOpened } from '../data/addresses.ts';
import { PageStore, useStore } from '../data/browser.ts';
import { callControl } from '../data/call-api.ts';
import { useDebounced, useList } from '../data/queries.ts';
import type { AnswerOf } from '../data/records.ts';
import { ActionButton } from '../pieces/action-button.tsx';
import { type DrawerOf, RecordDrawer, TabbedArea } from '../pieces/drawer.tsx';
import { FieldsForm } from '../pieces/form.tsx';
import type { Draft } from '../pieces/form-field.tsx';
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
import {
  EnabledSwitch,
  type Flow,
  type FlowDefinition,
  type FlowStep,
  FlowsTab,
  progressOf,
  type Run,
  STEP_ICONS,
} from './flows-tab.tsx';
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

/** How many of its runs are shown. */
const MOST = 10;

/** One flow: its address, a form that starts a run, its steps and runs. */
function FlowDrawer({ id, onClose }: DrawerOf) {
  const { data, error } = useList<Flow>('/flows');
  return (
    <RecordDrawer
      {...{ label: 'Flow', id, error, onClose }}
      record={data?.find((each) => each.id === id)}
      gone={data && 'This flow no longer exists. Its runs are kept.'}
      title={({ name }) => name}
      tools={(flow) => <FlowTools flow={flow} onClose={onClose} />}
      before={(flow) => (
        <LiveOnly>
          <Section title="Start a run">
            <StartForm flow={flow} />
          </Section>
        </LiveOnly>
      )}
      facts={factsOf}
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

function RunsOf({ id }: { id: string }) {
  const { data: runs = [] } = useList<Run>('/runs', { params: { flow_id: id, limit: MOST } });
  if (runs.length === 0) return null;
  return (
    <Section title="Runs">
      <ul className="lines framed" aria-label="Runs of this flow">
        {runs.map((run) => (
          <li key={run.id}>
            <Link className="line" href={at.flows(run.id)}>
              <StatusBadge status={run.status} />
              <span className="soft cut grow">{progressOf(run)}</span>
              <span className="soft">
                <RelativeTime at={run.startedAt} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function FlowTools({ flow, onClose }: { flow: Flow; onClose: () => void }) {
  const { id, name, steps, enabled } = flow;
  return (
    <>
      <LiveOnly>
        <LinkButton text="Edit" icon={Pencil} href={`${at.flows(id)}/edit`} />
        <LinkButton
          text="Export"
          icon={Download}
          href={`/_emulator/flows/${id}/definition`}
          download={`${name}.json`}
        />
      </LiveOnly>
      <span className="soft">
        JSON <CopyButton text={JSON.stringify({ name, steps }, null, 2)} label="the flow as JSON" />
      </span>
      <ActionButton
        text="Roll"
        icon={RefreshCw}
        act={() => callControl<Flow>('POST', `/flows/${id}/roll`)}
        toast={['The hook has a new URL', 'The old one stops working.']}
        confirm={{ title: 'Give the hook a new URL?', note: 'Callers of the old one get a 404.' }}
      />
      <ActionButton
        text="Delete"
        icon={Trash2}
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

/** The inputs that a flow reads, and a button that starts a run with them. */
function StartForm({ flow: { id, enabled, steps } }: { flow: Flow }) {
  const [, navigate] = useLocation();
  const fields = inputsRead(steps).map((name) => ({ name, label: name, type: 'text', isOptional: true }) as const);
  const start = (draft: Draft) =>
    callControl<Run>('POST', `/flows/${id}/runs`, { inputs: asInputs(Object.entries(draft)) });
  return (
    <FieldsForm
      {...{ fields, send: start, action: 'Start a run', icon: Play }}
      onSuccess={(run) => navigate(at.flows(run.id))}
      before={() => fields.length === 0 && <p className="soft">This flow has no inputs.</p>}
      disabledReason={() => !enabled && 'This flow is off.'}
    />
  );
}

/** Names with dots become objects within objects; what reads as a number, true or false is one. */
function asInputs(given: readonly (readonly [string, string])[]): Record<string, unknown> {
  const inputs: Record<string, unknown> = {};
  for (const [name, text] of given) {
    if (text !== '') setField(inputs, name.split('.'), inputValue(text));
  }
  return inputs;
}

function setField(record: Record<string, unknown>, [first = '', ...rest]: string[], value: unknown) {
  if (rest.length === 0) {
    record[first] = value;
    return;
  }
  const before = record[first];
  const inner = typeof before === 'object' && before !== null ? before : {};
  record[first] = inner;
  setField(inner as Record<string, unknown>, rest, value);
}

function inputValue(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return String(Number(text)) === text && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** What an import begins with: the smallest flow that runs. */
const SMALLEST: FlowDefinition = {
  name: 'New flow',
  steps: [{ nodeId: 'text', type: 'text', params: { prompt: 'A few words about {{inputs.topic}}.' } }],
};

/** What was written and is not saved, as long as the page is open: by flow and version. */
const drafts = new PageStore<Readonly<Record<string, string | undefined>>>({});

/** Writes a flow as JSON, one that is there or a new one. */
function FlowEditor({ id }: { id?: string }) {
  const { data: flows, error } = useList<Flow>('/flows', { enabled: id !== undefined });
  const flow = flows?.find((each) => each.id === id);
  if (id === undefined) return <Editor given={SMALLEST} />;
  if (flow) return <Editor key={flow.version} given={flow} id={id} />;
  return (
    <>
      <PageHead title="Flows" />
      <ErrorNotice error={error} />
      {flows && <Notice tone="wait">This flow no longer exists.</Notice>}
    </>
  );
}

function Editor({ given, id }: { given: FlowDefinition & { version?: number }; id?: string }) {
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
        <LinkButton text="Back" icon={ArrowLeft} href={at.flows(id)} />
        <FileButton
          text="Open a file"
          label="A flow as JSON"
          icon={FileUp}
          accept="application/json,.json"
          onChoose={([file]) => void file?.text().then(change, showError)}
        />
        <span className="grow" />
        <CheckState check={fault === undefined ? check : undefined} />
        {draft !== undefined && <Button text="Discard changes" icon={Undo2} onClick={() => change(undefined)} />}
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

/** What is wrong with the text, or with the flow that it is. */
function Faults({ fault, check }: { fault: string | undefined; check: FlowCheck | undefined }) {
  if (fault !== undefined) return <Notice tone="bad">{fault}</Notice>;
  return check?.errors.map(({ message, param }) => <ErrorNotice key={param} error={{ message, code: param }} />);
}

/** Whether the emulator would take the flow. */
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

/** Parses a flow, or explains why it is not JSON; the emulator validates it. */
function readDefinition(text: string): { definition?: object; fault?: string } {
  try {
    const { name = null, steps = null } = Object(JSON.parse(text));
    return { definition: { name, steps } };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}
