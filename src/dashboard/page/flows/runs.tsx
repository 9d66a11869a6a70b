import * as icons from 'lucide-react';
import { useState } from 'react';
import type { WireAnswer } from '../../../control/call-operation.ts';
import type { StepType } from '../../../engine/flows/definition.ts';
import { ActionButton } from '../components/action-button.tsx';
import {
  column,
  type ListSpec,
  mutedColumn,
  type OpenRowProps,
  RecordList,
  relativeTimeColumn,
} from '../components/data-list.tsx';
import { RecordDrawer, type TabDrawerProps } from '../components/drawer.tsx';
import { LabelledField } from '../components/form.tsx';
import { MediaView } from '../components/media-view.tsx';
import { Notice, Section } from '../components/page-parts.tsx';
import {
  Badge,
  Credits,
  IdChip,
  JsonView,
  RelativeTime,
  StatusBadge,
  shortId,
  TextLink,
  type Tone,
} from '../components/values.tsx';
import { areaPathBuilders } from '../data/areas.ts';
import { callControl, loadableFileUrl } from '../data/call-api.ts';
import { useFilteredRecords, useRecord } from '../data/queries.ts';
import type { FlowRun } from '../data/records.ts';

type WholeRun = WireAnswer<'showRun'>;
type RunOutput = WholeRun['outputs'][number];

export const STEP_ICONS: Record<StepType, icons.LucideIcon> = {
  text: icons.FileText,
  image: icons.Image,
  video: icons.Video,
  music: icons.Music,
  speech: icons.Mic,
  post: icons.Send,
};

function progressOf({ status, step, failure }: FlowRun): string {
  if (failure) return `step ${failure.step}: ${failure.message}`;
  return status === 'done' ? 'finished' : `at step ${step}`;
}

const TONES: Partial<Record<FlowRun['status'], Tone>> = { failed: 'bad', waiting: 'wait' };

const RUNS: ListSpec<FlowRun> = {
  label: 'Runs',
  columns: [
    column('Status', '72px', ({ status }) => <StatusBadge status={status} />, { line: 1 }),
    column('Flow', 'minmax(120px, 1fr)', ({ flow }) => flow.name, { line: 1, grow: true }),
    mutedColumn('Progress', 'minmax(80px, 2fr)', progressOf, { line: 2, grow: true }),
    mutedColumn('Started by', '80px', starterOf, { wide: true }),
    mutedColumn('Run', '128px', ({ id }) => <code>{shortId(id)}</code>, { wide: true }),
    column('Credits', '64px', ({ credits }) => <Credits amount={credits} />, { align: 'end', line: 1 }),
    relativeTimeColumn('Started', ({ startedAt }) => startedAt, { align: 'end', line: 2 }),
  ],
  toneOf: ({ status }) => TONES[status],
  choices: {
    name: 'status',
    label: 'Status',
    options: { all: 'All', running: 'Running', waiting: 'Waiting', done: 'Done', failed: 'Failed' },
  },
  icon: icons.ListChecks,
  hint: 'Open a flow and start a run, or call its hook.',
};

function starterOf({ source }: FlowRun): string {
  return source === 'webhook' ? 'webhook' : 'manually';
}

export function RunsTab(opening: OpenRowProps) {
  return <RecordList {...RUNS} {...opening} found={useFilteredRecords('listRuns', {}, RUNS)} />;
}

/** Milliseconds between reloads of a run in progress, because the live stream does not report all of its steps. */
const AGAIN = 400;

export function RunDrawer({ id, onClose }: TabDrawerProps) {
  const found = useRecord('showRun', id, { again: (run) => run?.status === 'running' && AGAIN });
  return (
    <RecordDrawer
      {...found}
      {...{ label: 'Run', onClose }}
      title={({ status, flow }) => (
        <>
          <StatusBadge status={status} /> {flow.name}
        </>
      )}
      before={(run) => (
        <>
          {run.failure && (
            <Notice tone="bad">
              Step {run.failure.step} ({run.failure.nodeId}): {run.failure.message}
            </Notice>
          )}
          {run.waiting && (
            <Section title="Waiting for approval">
              <WaitingPost key={run.id} id={run.id} {...run.waiting} />
            </Section>
          )}
          <Section
            title="Steps"
            tools={run.finishedAt === null && <ActionButton {...CANCEL} act={() => callControl('cancelRun', { id })} />}
          >
            <RunSteps run={run} />
          </Section>
        </>
      )}
      details={(run) => ({
        Run: <IdChip id={id} />,
        Timeline: <TextLink href={areaPathBuilders.timeline(id)} text="View timeline" />,
        Flow: <IdChip id={run.flow.id} />,
        'Paid by': <IdChip id={run.account_id} />,
        'Started by': starterOf(run),
        Credits: <Credits amount={run.credits} />,
        Started: <RelativeTime at={run.startedAt} />,
        Ended: run.finishedAt && <RelativeTime at={run.finishedAt} />,
      })}
    >
      {({ inputs }) => (
        <Section title="Inputs">
          <JsonView value={inputs} label="Inputs of the run" />
        </Section>
      )}
    </RecordDrawer>
  );
}

const CANCEL = {
  text: 'Cancel the run',
  icon: icons.CircleStop,
  toast: ['The run was cancelled'],
  confirm: {
    title: 'Cancel this run?',
    note: 'The current step fails and is refunded. Results so far are kept.',
    action: 'Cancel it',
  },
} as const;

function RunSteps({ run }: { run: WholeRun }) {
  return (
    <ol className="stack" aria-label="Steps of the run">
      {run.steps.map(({ nodeId, type }, position) => {
        const number = position + 1;
        const Icon = STEP_ICONS[type];
        const output = run.outputs.find(({ step }) => step === number);
        const { text, tone } = stateOf(run, number, output);
        return (
          <li key={nodeId} className="run-step framed stack" data-tone={tone}>
            <div className="row wrap">
              <span className="soft fixed">{number}</span>
              <Icon aria-hidden />
              <strong>{nodeId}</strong>
              <span className="soft">{type}</span>
              <span className="grow" />
              {output?.creationId && <IdChip id={output.creationId} />}
              <Badge tone={tone}>{text}</Badge>
            </div>
            {output && <OutputView {...output} />}
          </li>
        );
      })}
    </ol>
  );
}

function stateOf(run: WholeRun, number: number, output: RunOutput | undefined): { text: string; tone: Tone } {
  if (output) return { text: 'done', tone: 'good' };
  if (run.failure?.step === number) return { text: 'failed', tone: 'bad' };
  if (run.step !== number || run.status === 'failed') return { text: 'not started', tone: 'plain' };
  return { text: run.status === 'waiting' ? 'waiting' : 'running', tone: 'wait' };
}

function WaitingPost({ id, nodeId, text, url }: NonNullable<WholeRun['waiting']> & { id: string }) {
  const [edited, setEdited] = useState(text ?? '');
  const isChanged = edited !== (text ?? '');
  return (
    <div className="stack">
      {text !== undefined && (
        <LabelledField label="Text of the post" note={isChanged && 'Edited.'}>
          <textarea
            className="input"
            dir="auto"
            rows={6}
            value={edited}
            onChange={(event) => setEdited(event.target.value)}
          />
        </LabelledField>
      )}
      <div className="drawer-tools row wrap">
        <ActionButton
          text={isChanged ? 'Approve with this text' : 'Approve'}
          icon={icons.Check}
          variant="primary"
          act={() => callControl('clickRun', { id, choice: 'approve', text: isChanged ? edited : undefined })}
          toast={['Approved']}
        />
        <ActionButton
          text="Reject"
          icon={icons.X}
          act={() => callControl('clickRun', { id, choice: 'reject' })}
          toast={['Rejected. The run failed.']}
        />
      </div>
      {url !== undefined && <OutputView url={url} nodeId={nodeId} />}
    </div>
  );
}

const VIDEO_OR_AUDIO: Record<string, string> = { mp4: 'video/mp4', mp3: 'audio/mpeg', wav: 'audio/wav' };

function OutputView({ text, url = '', nodeId }: Pick<RunOutput, 'text' | 'url' | 'nodeId'>) {
  const [path = ''] = loadableFileUrl(url).split('?');
  const type = VIDEO_OR_AUDIO[path.split('.').at(-1) ?? ''] ?? 'image/png';
  return (
    <div className="stack">
      {text !== undefined && (
        <p className="pre" dir="auto">
          {text}
        </p>
      )}
      {path.startsWith('/cdn/') ? (
        <MediaView file={{ url, content_type: type }} label={`Output of ${nodeId}`} />
      ) : (
        url && <code>{url}</code>
      )}
    </div>
  );
}
