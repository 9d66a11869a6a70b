import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, FileUp, Undo2 } from 'lucide-react';
import { useLocation } from 'wouter';
import { useAccounts } from '../data/account-and-clock.ts';
import { at } from '../data/addresses.ts';
import { PageStore, useStore } from '../data/browser.ts';
import { callControl } from '../data/call-api.ts';
import { useDebounced, useList } from '../data/queries.ts';
import type { AnswerOf } from '../data/records.ts';
import { ActionButton } from '../pieces/action-button.tsx';
import { Button, ErrorNotice, FileButton, LinkButton, Notice, PageHead, showError } from '../pieces/page-parts.tsx';
import { counted, Toned } from '../pieces/values.tsx';
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
