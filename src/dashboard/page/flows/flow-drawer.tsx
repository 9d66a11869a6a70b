import { Download, Pencil, Play, RefreshCw, Trash2 } from 'lucide-react';
import { Link, useLocation } from 'wouter';
import { callControl } from '../data/call-api.ts';
import { at } from '../data/paths.ts';
import { useList } from '../data/queries.ts';
import { ActionButton } from '../pieces/action-button.tsx';
import { LinkButton, LiveOnly } from '../pieces/button.tsx';
import { type DrawerOf, RecordDrawer } from '../pieces/drawer.tsx';
import { FieldsForm } from '../pieces/form.tsx';
import type { Draft } from '../pieces/form-field.tsx';
import { Section } from '../pieces/page-parts.tsx';
import { CopyButton, IdChip, RelativeTime, StatusBadge } from '../pieces/values.tsx';
import { EnabledSwitch, type Flow, type FlowStep, progressOf, type Run, STEP_ICONS } from './flows-tab.tsx';

/** How many of its runs are shown. */
const MOST = 10;

/** One flow: its address, a form that starts a run, its steps and runs. */
export function FlowDrawer({ id, onClose }: DrawerOf) {
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
