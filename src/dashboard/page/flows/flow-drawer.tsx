import { Link } from 'wouter';
import { at } from '../data/addresses.ts';
import { useList } from '../data/queries.ts';
import { type DrawerOf, RecordDrawer } from '../pieces/drawer.tsx';
import { LiveOnly, Section } from '../pieces/page-parts.tsx';
import { CopyButton, IdChip, RelativeTime, StatusBadge } from '../pieces/values.tsx';
import { FlowTools, StartForm } from './flow-tools.tsx';
import { type Flow, type FlowStep, progressOf, type Run, STEP_ICONS } from './flows-tab.tsx';

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
