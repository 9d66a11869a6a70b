import { Download, Pencil, Play, RefreshCw, Trash2 } from 'lucide-react';
import { useLocation } from 'wouter';
import { at } from '../data/addresses.ts';
import { callControl } from '../data/call-api.ts';
import { ActionButton } from '../pieces/action-button.tsx';
import { FieldsForm } from '../pieces/form.tsx';
import type { Draft } from '../pieces/form-field.tsx';
import { LinkButton, LiveOnly } from '../pieces/page-parts.tsx';
import { CopyButton } from '../pieces/values.tsx';
import { EnabledSwitch, type Flow, type FlowStep, type Run } from './flows-tab.tsx';

export function FlowTools({ flow, onClose }: { flow: Flow; onClose: () => void }) {
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
export function StartForm({ flow: { id, enabled, steps } }: { flow: Flow }) {
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
