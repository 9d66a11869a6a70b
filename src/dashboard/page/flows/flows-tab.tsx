import { FileText, Image, type LucideIcon, Mic, Music, Send, Video, Workflow } from 'lucide-react';
import type { FlowRecord } from '../../../control/flow-schemas.ts';
import type { RunRecord, WholeRun } from '../../../control/runs.ts';
import type { StepType } from '../../../engine/flows/step-kind.ts';
import { callControl, recordSource } from '../data/call-api.ts';
import { useAction, useList } from '../data/queries.ts';
import { agoColumn, type Column, column, softColumn } from '../pieces/data-list.tsx';
import { showError } from '../pieces/page-parts.tsx';
import { type ListSpec, type OpenRow, RecordList, useRecords } from '../pieces/record-list.tsx';
import { StatusBadge } from '../pieces/values.tsx';

export type { WholeRun };

/** The definition of a flow, as it is exported, imported and edited. */
export type FlowDefinition = Pick<Flow, 'name' | 'steps'>;
export type FlowStep = Flow['steps'][number];
export type Flow = FlowRecord;
export type Run = RunRecord;
export type RunOutput = WholeRun['outputs'][number];

export const STEP_ICONS: Record<StepType, LucideIcon> = {
  text: FileText,
  image: Image,
  video: Video,
  music: Music,
  speech: Mic,
  post: Send,
};

/** The step that a run has reached, or why it failed. */
export function progressOf({ status, step, failure }: Run): string {
  if (failure) return `step ${failure.step}: ${failure.message}`;
  return status === 'done' ? 'at its end' : `at step ${step}`;
}

interface FlowRow extends Flow {
  lastRun: Run | undefined;
}

const COLUMNS: readonly Column<FlowRow>[] = [
  column('Flow', 'minmax(160px, 2fr)', ({ name }) => name, { line: 1, grow: true }),
  column('Steps', 'minmax(120px, 1fr)', ({ steps }) => <StepIcons steps={steps} />, { line: 2, grow: true }),
  softColumn('Version', '64px', ({ version }) => version, { align: 'end', wide: true }),
  column(
    'Last run',
    '80px',
    ({ lastRun }) => (lastRun ? <StatusBadge status={lastRun.status} /> : <span className="soft">none</span>),
    { line: 2 },
  ),
  agoColumn('Started', ({ lastRun }) => lastRun?.startedAt, { wide: true }),
  column('On', '40px', (flow) => <EnabledSwitch flow={flow} />, { line: 1 }),
];

const NO_RUNS: readonly Run[] = [];

const LIST: ListSpec<FlowRow> = {
  ...{ label: 'Flows', search: 'Search flows', columns: COLUMNS },
  none: {
    ...{ icon: Workflow, title: 'No flows yet' },
    description:
      'A flow is a series of steps the service runs for you: write a text, draw a picture for it, wait until someone ' +
      'approves. Add one with “Import”, which begins with a small example.',
  },
};

/** The flows of every workspace. */
export function FlowsTab(opening: OpenRow) {
  const found = useRecords<Flow>('/flows');
  const { data: runs = NO_RUNS } = useList<Run>('/runs');
  const rows = found.rows.map((flow) => ({ ...flow, lastRun: runs.find((run) => run.flow.id === flow.id) }));
  return <RecordList {...LIST} {...{ found: { ...found, rows }, ...opening }} />;
}

/** The types of steps, in their order. */
function StepIcons({ steps }: Pick<Flow, 'steps'>) {
  return (
    <span className="row soft" title={steps.map(({ type }) => type).join(', ')}>
      {steps.map(({ nodeId, type }) => {
        const Icon = STEP_ICONS[type];
        return <Icon key={nodeId} role="img" aria-label={type} />;
      })}
    </span>
  );
}

/** Switches a flow on and off: no run begins of one that is off. */
export function EnabledSwitch({ flow }: { flow: Flow }) {
  const change = useAction((enabled: boolean) => callControl<Flow>('PATCH', `/flows/${flow.id}`, { enabled }));
  const isOn = change.isPending ? change.variables : flow.enabled;
  return (
    <input
      type="checkbox"
      role="switch"
      aria-label={`${flow.name} is on`}
      disabled={recordSource.value !== undefined}
      aria-checked={isOn}
      checked={isOn}
      onChange={({ target }) => change.mutate(target.checked, { onError: showError })}
      onClick={(event) => event.stopPropagation()}
    />
  );
}
