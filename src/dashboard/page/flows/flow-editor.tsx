import { ArrowLeft, FileUp, Undo2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { later } from '../data/browser-time.ts';
import { callControl } from '../data/call-api.ts';
import { useAccounts } from '../data/chosen-account.ts';
import { PageStore, useStore } from '../data/page-store.ts';
import { at } from '../data/paths.ts';
import { useList } from '../data/queries.ts';
import { Act } from '../pieces/act.tsx';
import { FileButton } from '../pieces/file-button.tsx';
import { Button, ErrorNotice, Notice, PageHead } from '../pieces/page-parts.tsx';
import { sayError } from '../pieces/toast.tsx';
import type { Flow, FlowDefinition } from './flows-tab.tsx';

/** What an import begins with: the smallest flow that runs. */
const SMALLEST: FlowDefinition = {
  name: 'New flow',
  steps: [{ nodeId: 'text', type: 'text', params: { prompt: 'A few words about {{inputs.topic}}.' } }],
};

/** What was written and is not saved, as long as the page is open: by flow and version. */
const drafts = new PageStore<Readonly<Record<string, string | undefined>>>({});

/** Writes a flow as JSON, one that is there or a new one. */
export function FlowEditor({ id }: { id?: string }) {
  const { data: flows, error } = useList<Flow>('/flows', { enabled: id !== undefined });
  const flow = flows?.find((each) => each.id === id);
  if (id === undefined) return <Editor given={SMALLEST} />;
  if (flow) return <Editor key={flow.version} given={flow} id={id} />;
  return (
    <>
      <PageHead title="Flows" />
      <ErrorNotice error={error} />
      {flows && <Notice tone="wait">There is no such flow any more.</Notice>}
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
        <Link className="button" href={at.flows(id)}>
          <ArrowLeft aria-hidden /> Back
        </Link>
        <FileButton
          text="Read a file"
          label="A flow as JSON"
          icon={FileUp}
          accept="application/json,.json"
          onChoose={([file]) => void file?.text().then(change, sayError)}
        />
        <span className="grow" />
        <CheckState check={fault === undefined ? check : undefined} />
        {draft !== undefined && (
          <Button icon={Undo2} onClick={() => change(undefined)}>
            Take the changes back
          </Button>
        )}
        <Act
          text={isNew ? 'Make the flow' : 'Save as the next version'}
          look="primary"
          disabled={fault !== undefined || !check?.ok}
          act={() => callControl<Flow>(isNew ? 'POST' : 'PUT', isNew ? '/flows' : `/flows/${id}/definition`, order)}
          said={[isNew ? 'The flow is made' : `Saved as version ${(version ?? 0) + 1}`]}
          done={(flow) => {
            change(undefined);
            navigate(at.flows(flow.id));
          }}
        />
      </PageHead>
      <div className="flow-editor form stack fill">
        <Faults fault={fault} check={check} />
        <DefinitionText text={text} onChange={change} />
      </div>
    </>
  );
}

function DefinitionText({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  return (
    <>
      <textarea
        className="input mono"
        aria-label="Flow as JSON"
        spellCheck={false}
        value={text}
        onChange={({ target }) => onChange(target.value)}
      />
      <p className="soft small">
        Name and steps, as “Export” gives them. A step reads {'{{inputs.topic}}'} of its run, and {'{{steps.1.text}}'}{' '}
        or {'{{steps.1.url}}'} of an earlier step.
      </p>
    </>
  );
}

/** What is wrong with the text, or with the flow that it is. */
function Faults({ fault, check }: { fault: string | undefined; check: FlowCheck | undefined }) {
  if (fault !== undefined) return <Notice tone="bad">{fault}</Notice>;
  return check?.errors.map(({ message, param }) => (
    <Notice key={param} tone="bad" code={param ?? undefined}>
      {message}
    </Notice>
  ));
}

/** Whether the emulator would take the flow. */
function CheckState({ check }: { check: FlowCheck | undefined }) {
  if (!check) return <span className="soft">Checking</span>;
  if (check.ok)
    return (
      <span className="toned" data-tone="good">
        Nothing is wrong with it
      </span>
    );
  const count = check.errors.length;
  return (
    <span className="toned" data-tone="bad">
      {count === 1 ? '1 thing to mend' : `${count} things to mend`}
    </span>
  );
}

/** What the emulator says of a flow that is being written. */
interface FlowCheck {
  ok: boolean;
  errors: { code: string; message: string; param: string | null }[];
  ignored: string[];
}

/** How long after the last change it is asked, in milliseconds. */
const QUIET = 200;

/** Has the emulator check a flow as it is written; undefined while the answer is of an earlier text. */
function useFlowCheck(definition: FlowDefinition | undefined): FlowCheck | undefined {
  const [answer, setAnswer] = useState<{ of: string; check: FlowCheck }>();
  const text = JSON.stringify(definition);
  useEffect(() => {
    if (text === undefined) return;
    let isLatest = true;
    const stop = later(QUIET, () => {
      void callControl<FlowCheck>('POST', '/check-flow', JSON.parse(text))
        .then((check) => isLatest && setAnswer({ of: text, check }))
        .catch(() => undefined);
    });
    return () => {
      isLatest = false;
      stop();
    };
  }, [text]);
  return answer?.of === text ? answer?.check : undefined;
}

/** The flow that a text is, or why it is none; what is wrong inside is for the emulator to say. */
function readDefinition(text: string): { definition?: FlowDefinition; fault?: string } {
  try {
    const { name, steps } = (JSON.parse(text) ?? {}) as { name?: unknown; steps?: unknown };
    if (typeof name === 'string' && Array.isArray(steps) && steps.every(isStep)) return { definition: { name, steps } };
    return { fault: 'A flow is {"name": "…", "steps": [{"nodeId", "type", "params"}, …]}.' };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

function isStep(step: unknown): step is FlowDefinition['steps'][number] {
  if (typeof step !== 'object' || step === null) return false;
  const { nodeId, type, params = {} } = step as Record<string, unknown>;
  return typeof nodeId === 'string' && typeof type === 'string' && typeof params === 'object' && params !== null;
}
