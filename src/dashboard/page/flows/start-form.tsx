import { Play } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { callControl } from '../data/call-api.ts';
import { at } from '../data/paths.ts';
import { useAct } from '../data/queries.ts';
import { Button } from '../pieces/button.tsx';
import { ErrorNotice } from '../pieces/error-notice.tsx';
import { FormFields } from '../pieces/form-fields.tsx';
import type { Draft } from '../pieces/form-input.tsx';
import type { Flow, FlowStep, Run } from './flow-records.ts';

const INPUT = /\{\{\s*inputs\.([\w$-]+(?:\.[\w$-]+)*)\s*\}\}/g;

/** The inputs that the templates of a flow read, in the order in which they stand: `topic`, `order.items.0`. */
function inputsRead(steps: readonly FlowStep[]): string[] {
  const text = JSON.stringify(steps.map(({ params }) => params));
  return [...new Set([...text.matchAll(INPUT)].map(([, name = '']) => name))];
}

/** The inputs that a flow reads, and a button that starts a run with them. */
export function StartForm({ flow: { id, enabled, steps } }: { flow: Flow }) {
  const names = inputsRead(steps);
  const [draft, onChange] = useState<Draft>({});
  const [, navigate] = useLocation();
  const start = useAct(
    (inputs: object) => callControl<Run>('POST', `/flows/${id}/runs`, { inputs }),
    (run) => navigate(at.flows(run.id)),
  );
  const send = (event: FormEvent) => {
    event.preventDefault();
    start.mutate(asInputs(names.map((name) => [name, draft[name] ?? ''])));
  };
  const fields = names.map((name) => ({ name, label: name, type: 'text', isOptional: true }) as const);
  return (
    <form className="form stack" onSubmit={send}>
      <FormFields {...{ fields, draft, onChange }} />
      {names.length === 0 && <p className="soft">This flow reads no inputs.</p>}
      <ErrorNotice error={start.error} />
      <Button
        type="submit"
        look="primary"
        icon={<Play aria-hidden />}
        disabled={!enabled || start.isPending}
        title={enabled ? undefined : 'This flow is switched off.'}
      >
        Start a run
      </Button>
    </form>
  );
}

/** Names with dots become objects within objects; what reads as a number, true or false is one. */
function asInputs(given: readonly (readonly [string, string])[]): Record<string, unknown> {
  const inputs: Record<string, unknown> = {};
  for (const [name, text] of given) {
    if (text !== '') place(inputs, name.split('.'), inputValue(text));
  }
  return inputs;
}

function place(record: Record<string, unknown>, [first = '', ...rest]: string[], value: unknown) {
  if (rest.length === 0) {
    record[first] = value;
    return;
  }
  const before = record[first];
  const inner = typeof before === 'object' && before !== null ? before : {};
  record[first] = inner;
  place(inner as Record<string, unknown>, rest, value);
}

function inputValue(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return String(Number(text)) === text && Number.isFinite(Number(text)) ? Number(text) : text;
}
