import { Download, Pencil, RefreshCw, Trash2 } from 'lucide-react';
import { Link } from 'wouter';
import { callControl } from '../data/call-api.ts';
import { at } from '../data/paths.ts';
import { useAct, useList } from '../data/queries.ts';
import { Button } from '../pieces/button.tsx';
import { Confirm } from '../pieces/confirm.tsx';
import { CopyButton } from '../pieces/copy-button.tsx';
import { Drawer } from '../pieces/drawer.tsx';
import { ErrorNotice, Notice } from '../pieces/error-notice.tsx';
import { IdChip } from '../pieces/id-chip.tsx';
import { OfService } from '../pieces/of-service.tsx';
import { Facts, Section } from '../pieces/page-head.tsx';
import { RelativeTime } from '../pieces/relative-time.tsx';
import { StatusBadge } from '../pieces/status-badge.tsx';
import { say, sayError } from '../pieces/toast.tsx';
import { EnabledSwitch } from './enabled-switch.tsx';
import { type Flow, type FlowStep, type Run, STEP_ICONS, whereOf } from './flow-records.ts';
import { StartForm } from './start-form.tsx';

/** How many of its runs are shown. */
const MOST = 10;

/** One flow: its address, a form that starts a run, its steps and runs. */
export function FlowDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error } = useList<Flow>('/flows');
  const flow = data?.find((each) => each.id === id);
  return (
    <Drawer label="Flow" title={flow?.name ?? id} onClose={onClose}>
      <ErrorNotice error={error} />
      {data && !flow && <Notice tone="wait">There is no such flow any more. Its runs stay.</Notice>}
      {flow && <FlowContents flow={flow} onClose={onClose} />}
    </Drawer>
  );
}

function FlowContents({ flow, onClose }: { flow: Flow; onClose: () => void }) {
  const { id, version, workspace_id, account_id, created, steps } = flow;
  const facts = {
    Flow: <IdChip id={id} />,
    Version: version,
    Workspace: <IdChip id={workspace_id} />,
    'Paid by': <IdChip id={account_id} />,
    Made: <RelativeTime at={created} />,
  };
  return (
    <>
      <FlowTools flow={flow} onClose={onClose} />
      <OfService>
        <Section title="Start a run">
          <StartForm flow={flow} />
        </Section>
      </OfService>
      <Section title="Hook" tools={<RollButton id={id} />}>
        <p className="soft">Whoever knows this address can start a run; the JSON body is its inputs.</p>
        <p className="hook-url">
          <code>{flow.hook_url}</code>
          <CopyButton text={flow.hook_url} label="the hook URL" />
        </p>
      </Section>
      <Section title="Steps">
        <ol className="lines">
          {steps.map((step, position) => (
            <StepLine key={step.nodeId} step={step} number={position + 1} />
          ))}
        </ol>
      </Section>
      <RunsOf id={id} />
      <Section title="Facts">
        <Facts facts={facts} />
      </Section>
    </>
  );
}

function FlowTools({ flow, onClose }: { flow: Flow; onClose: () => void }) {
  const { id, name, steps, enabled } = flow;
  const remove = useAct(
    () => callControl<void>('DELETE', `/flows/${id}`),
    () => {
      say('The flow is gone');
      onClose();
    },
  );
  return (
    <div className="flow-buttons">
      <OfService>
        <Link className="button" href={`${at.flows(id)}/edit`}>
          <Pencil aria-hidden /> Edit
        </Link>
        <a className="button" href={`/_emulator/flows/${id}/definition`} download={`${name}.json`}>
          <Download aria-hidden /> Export
        </a>
      </OfService>
      <span className="flow-copy">
        JSON <CopyButton text={JSON.stringify({ name, steps }, null, 2)} label="the flow as JSON" />
      </span>
      <Confirm
        trigger={<Button icon={<Trash2 aria-hidden />}>Delete</Button>}
        title={`Delete ${name}?`}
        note="Its hook answers no more. Runs that have begun go on."
        action="Delete"
        onConfirm={() => remove.mutate(undefined, { onError: sayError })}
      />
      <span className="page-head-gap" />
      <span className="flow-on">
        {enabled ? 'On' : 'Off'} <EnabledSwitch flow={flow} />
      </span>
    </div>
  );
}

function RollButton({ id }: { id: string }) {
  const roll = useAct(
    () => callControl<Flow>('POST', `/flows/${id}/roll`),
    () => say('The hook has a new address', 'Nothing answers at the old one.', 'good'),
  );
  return (
    <Confirm
      trigger={<Button icon={<RefreshCw aria-hidden />}>Roll</Button>}
      title="Give the hook another address?"
      note="Whoever calls the old one is answered 404."
      action="Roll"
      onConfirm={() => roll.mutate(undefined, { onError: sayError })}
    />
  );
}

function StepLine({ step, number }: { step: FlowStep; number: number }) {
  const { nodeId, type, params } = step;
  const Icon = STEP_ICONS[type];
  const said = params.prompt ?? params.input ?? params.text ?? params.style ?? params.url;
  return (
    <li className="line">
      <span className="step-number">{number}</span>
      <Icon role="img" aria-label={type} />
      <span className="step-name">{nodeId}</span>
      <span className="step-said">{typeof said === 'string' ? said : ''}</span>
    </li>
  );
}

function RunsOf({ id }: { id: string }) {
  const { data: runs = [] } = useList<Run>('/runs', { params: { flow_id: id, limit: MOST } });
  if (runs.length === 0) return null;
  return (
    <Section title="Runs">
      <ul className="lines" aria-label="Runs of this flow">
        {runs.map((run) => (
          <li key={run.id}>
            <Link className="line" href={at.flows(run.id)}>
              <StatusBadge status={run.status} />
              <span className="step-said">{whereOf(run)}</span>
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
