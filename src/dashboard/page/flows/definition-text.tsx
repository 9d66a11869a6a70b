import { FileUp } from 'lucide-react';
import { type ChangeEvent, useState } from 'react';
import { ErrorNotice, Notice } from '../pieces/error-notice.tsx';
import { sayError } from '../pieces/toast.tsx';
import { keyedSteps } from './edit-steps.ts';
import type { FlowDefinition } from './flow-records.ts';
import type { FlowCheck } from './use-flow-check.ts';

interface DefinitionTextProps {
  definition: FlowDefinition;
  check: FlowCheck | undefined;
  onChange: (definition: FlowDefinition) => void;
}

/** The same flow as JSON: to paste one, or to read it from a file. */
export function DefinitionText({ definition, check, onChange }: DefinitionTextProps) {
  const [text, setText] = useState(() => JSON.stringify(definition, null, 2));
  const [fault, setFault] = useState<string>();
  const read = (typed: string) => {
    setText(typed);
    try {
      onChange(asDefinition(JSON.parse(typed)));
      setFault(undefined);
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    }
  };
  const readFile = ({ target }: ChangeEvent<HTMLInputElement>) => {
    void target.files?.[0]?.text().then(read, sayError);
  };
  return (
    <>
      <div className="field">
        <label className="field-label" htmlFor="definition">
          Flow as JSON
        </label>
        <textarea
          id="definition"
          className="input mono definition"
          rows={24}
          spellCheck={false}
          value={text}
          onChange={(event) => read(event.target.value)}
        />
        <span className="field-note">Name and steps, as “Export” gives them. Paste them here, or read a file:</span>
        <label className="button file-button">
          <FileUp aria-hidden /> Read a file
          <input className="unseen" type="file" accept="application/json,.json" onChange={readFile} />
        </label>
      </div>
      {fault && <ErrorNotice error={new Error(fault)} />}
      {!fault &&
        check?.errors.map(({ message, param }) => (
          <Notice key={param} tone="bad" code={param ?? undefined}>
            {message}
          </Notice>
        ))}
    </>
  );
}

/** Throws for what is no flow; what is wrong inside is for the emulator to say. */
function asDefinition(value: unknown): FlowDefinition {
  const { name, steps } = (value ?? {}) as { name?: unknown; steps?: unknown };
  if (typeof name !== 'string' || !Array.isArray(steps) || !steps.every(isStep)) {
    throw new Error('A flow is {"name": "…", "steps": [{"nodeId", "type", "params"}, …]}.');
  }
  const whole = steps.map(({ nodeId, type, params = {} }) => ({ nodeId, type, params }));
  return { name, steps: keyedSteps(whole) };
}

function isStep(step: unknown): step is FlowDefinition['steps'][number] {
  if (typeof step !== 'object' || step === null) return false;
  const { nodeId, type, params } = step as Record<string, unknown>;
  return (
    typeof nodeId === 'string' &&
    typeof type === 'string' &&
    (params === undefined || (typeof params === 'object' && params !== null))
  );
}
