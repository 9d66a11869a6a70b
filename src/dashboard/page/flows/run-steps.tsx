import { IdChip } from '../pieces/id-chip.tsx';
import { Badge, type Tone } from '../pieces/status-badge.tsx';
import { type RunOutput, STEP_ICONS, type WholeRun } from './flow-records.ts';
import { OutputView } from './output-view.tsx';

interface StepState {
  text: string;
  tone: Tone;
}

/** Every step of a run: done with what it came to, under way, waiting, or still to come. */
export function RunSteps({ run }: { run: WholeRun }) {
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
            {output && <OutputView output={output} outputs={run.outputs} />}
          </li>
        );
      })}
    </ol>
  );
}

function stateOf(run: WholeRun, number: number, output: RunOutput | undefined): StepState {
  if (output) return { text: 'done', tone: 'good' };
  if (run.failure?.step === number) return { text: 'failed', tone: 'bad' };
  if (run.step !== number || run.status === 'failed') return { text: 'not begun', tone: 'plain' };
  return { text: run.status === 'waiting' ? 'waiting' : 'running', tone: 'wait' };
}
