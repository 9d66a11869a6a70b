import { Play } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { callControl } from '../data/call-api.ts';
import { at } from '../data/paths.ts';
import { useAct } from '../data/queries.ts';
import { Button } from '../pieces/button.tsx';
import { ErrorNotice } from '../pieces/error-notice.tsx';
import { FormField } from '../pieces/form-field.tsx';
import type { Flow, Run } from './flow-records.ts';
import { inputsRead } from './template-texts.ts';

/** The inputs that a flow reads, and a button that starts a run with them. */
export function StartForm({ flow }: { flow: Flow }) {
  const { id, enabled, steps } = flow;
  const names = inputsRead(steps);
  const [given, setGiven] = useState<Record<string, string>>({});
  const [, navigate] = useLocation();
  const start = useAct(
    (inputs: object) => callControl<Run>('POST', `/flows/${id}/runs`, { inputs }),
    (run) => navigate(at.flows(run.id)),
  );
  const inputs = asInputs(names.map((name) => [name, given[name] ?? '']));
  return (
    <form
      className="flow-form"
      onSubmit={(event) => {
        event.preventDefault();
        start.mutate(inputs);
      }}
    >
      {names.map((name) => (
        <FormField key={name} label={name}>
          <input
            className="input"
            dir="auto"
            value={given[name] ?? ''}
            onChange={(event) => setGiven({ ...given, [name]: event.target.value })}
          />
        </FormField>
      ))}
      {names.length === 0 && <p className="soft">This flow reads no inputs.</p>}
      <ErrorNotice error={start.error} />
      <div>
        <Button
          type="submit"
          look="primary"
          icon={<Play aria-hidden />}
          disabled={!enabled || start.isPending}
          title={enabled ? undefined : 'This flow is switched off.'}
        >
          Start a run
        </Button>
      </div>
    </form>
  );
}

/** Names with dots become objects within objects; what reads as a number, true or false is one. */
export function asInputs(given: readonly (readonly [string, string])[]): Record<string, unknown> {
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
