import { ArrowLeft, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { callControl } from '../data/call-api.ts';
import { useAccounts } from '../data/chosen-account.ts';
import { at } from '../data/paths.ts';
import { useAct, useList } from '../data/queries.ts';
import { Button } from '../pieces/button.tsx';
import { Choices } from '../pieces/choices.tsx';
import { ErrorNotice, Notice } from '../pieces/error-notice.tsx';
import { PageHead } from '../pieces/page-head.tsx';
import { say } from '../pieces/toast.tsx';
import { useFilter } from '../pieces/use-filter.ts';
import { DefinitionText } from './definition-text.tsx';
import { useFlowDraft } from './flow-drafts.ts';
import type { Flow, FlowDefinition } from './flow-records.ts';
import { StepList } from './step-list.tsx';
import { errorAt, type FlowCheck, useFlowCheck } from './use-flow-check.ts';

const VIEWS = [
  ['steps', 'Steps'],
  ['json', 'JSON'],
] as const;

/** What an import begins with: the smallest flow that runs. */
const SMALLEST: FlowDefinition = {
  name: 'New flow',
  steps: [{ nodeId: 'text', type: 'text', params: { prompt: 'A few words about {{inputs.topic}}.' } }],
};

/** Writes a flow: one that is there as steps or JSON, a new one as JSON. */
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
  const draft = useFlowDraft(id === undefined ? 'new' : `${id} ${version}`, { name, steps });
  const { definition } = draft;
  const [undone, setUndone] = useState(0);
  const undo = () => {
    draft.drop();
    setUndone(undone + 1);
  };
  const [chosen, setView] = useFilter('view', 'steps');
  const view = id === undefined ? 'json' : chosen;
  const check = useFlowCheck(definition);
  const save = useSave(id, draft.drop);
  return (
    <>
      <PageHead title={id === undefined ? 'Import a flow' : 'Edit the flow'}>
        <Link className="button" href={at.flows(id)}>
          <ArrowLeft aria-hidden /> Back
        </Link>
        {id !== undefined && <Choices label="View" value={view} options={VIEWS} onChange={setView} />}
        <span className="page-head-gap" />
        <CheckState check={check} />
        {draft.isChanged && (
          <Button icon={<Undo2 aria-hidden />} disabled={save.isPending} onClick={undo}>
            Take the changes back
          </Button>
        )}
        <Button look="primary" disabled={!check?.ok || save.isPending} onClick={() => save.mutate(definition)}>
          {id === undefined ? 'Make the flow' : 'Save as the next version'}
        </Button>
      </PageHead>
      <div key={undone} className="flow-editor">
        <div className="flow-editor-column">
          <ErrorNotice error={save.error} />
          {view === 'json' ? (
            <DefinitionText definition={definition} check={check} onChange={draft.change} />
          ) : (
            <StepList definition={definition} check={check} onChange={draft.change} />
          )}
        </div>
      </div>
    </>
  );
}

function useSave(id: string | undefined, saved: () => void) {
  const { account } = useAccounts();
  const [, navigate] = useLocation();
  return useAct(
    (definition: FlowDefinition) =>
      id === undefined
        ? callControl<Flow>('POST', '/flows', {
            ...definition,
            workspace_id: account?.workspace_id,
          })
        : callControl<Flow>('PUT', `/flows/${id}/definition`, definition),
    (flow) => {
      saved();
      say(id === undefined ? 'The flow is made' : `Saved as version ${flow.version}`, undefined, 'good');
      navigate(at.flows(flow.id));
    },
  );
}

/** Whether the emulator would take the flow. */
function CheckState({ check }: { check: FlowCheck | undefined }) {
  if (!check) return <span className="soft">Checking</span>;
  if (check.ok) return <span className="check-good">Nothing is wrong with it</span>;
  const count = check.errors.length;
  return (
    <span className="check-bad" title={errorAt(check, 'steps') ?? errorAt(check, 'name')}>
      {count === 1 ? '1 thing to mend' : `${count} things to mend`}
    </span>
  );
}
