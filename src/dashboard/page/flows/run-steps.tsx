import { Check, X } from 'lucide-react';
import { useState } from 'react';
import { callControl, localUrl, recordSource } from '../data/call-api.ts';
import { stableUrls } from '../data/stable-urls.ts';
import { ActionButton } from '../pieces/action-button.tsx';
import { Labelled } from '../pieces/form-field.tsx';
import { IdChip } from '../pieces/ids.tsx';
import { MediaView } from '../pieces/media-view.tsx';
import { Badge, type Tone } from '../pieces/values.tsx';
import { type RunOutput, STEP_ICONS, type WholeRun } from './flows-tab.tsx';

/** Every step of a run with its state and result. */
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

function stateOf(run: WholeRun, number: number, output: RunOutput | undefined): { text: string; tone: Tone } {
  if (output) return { text: 'done', tone: 'good' };
  if (run.failure?.step === number) return { text: 'failed', tone: 'bad' };
  if (run.step !== number || run.status === 'failed') return { text: 'not started', tone: 'plain' };
  return { text: run.status === 'waiting' ? 'waiting' : 'running', tone: 'wait' };
}

type Waiting = NonNullable<WholeRun['waiting']>;

interface Click {
  choice: 'approve' | 'reject';
  text?: string;
}

/** A post that waits for approval: shown as it would be published, with its text editable. */
export function WaitingPost({ run, waiting }: { run: WholeRun; waiting: Waiting }) {
  const { text, url, nodeId } = waiting;
  const [edited, setEdited] = useState(text ?? '');
  const decide = (order: Click) => callControl<WholeRun>('POST', `/runs/${run.id}/click`, order);
  const isChanged = edited !== (text ?? '');
  return (
    <div className="stack">
      {text !== null && (
        <Labelled label="Text of the post" note={isChanged && 'Changed by you.'}>
          <textarea
            className="input"
            dir="auto"
            rows={6}
            readOnly={recordSource.value !== undefined}
            value={edited}
            onChange={(event) => setEdited(event.target.value)}
          />
        </Labelled>
      )}
      <div className="drawer-tools row wrap">
        <ActionButton
          text={isChanged ? 'Approve with this text' : 'Approve'}
          icon={Check}
          look="primary"
          act={() => decide(isChanged ? { choice: 'approve', text: edited } : { choice: 'approve' })}
          said={['Approved']}
        />
        <ActionButton
          text="Reject"
          icon={X}
          act={() => decide({ choice: 'reject' })}
          said={['Rejected: the run has failed']}
        />
      </div>
      {url !== null && <OutputView output={{ kind: 'post', url, nodeId }} outputs={run.outputs} />}
    </div>
  );
}

interface OutputViewProps {
  output: Pick<RunOutput, 'kind' | 'text' | 'url' | 'nodeId'>;
  /** All of the run: what a post shows is often one of them. */
  outputs: readonly RunOutput[];
}

/** The result of a step, shown or played in place. */
function OutputView({ output, outputs }: OutputViewProps) {
  const { text, url, nodeId } = output;
  return (
    <div className="stack">
      {text !== undefined && (
        <p className="pre" dir="auto">
          {text}
        </p>
      )}
      {url !== undefined && <RunMedia url={url} kind={kindOf(output, outputs)} label={nodeId} />}
    </div>
  );
}

/** A picture, clip or sound of the emulator; of elsewhere, where it is. */
function RunMedia({ url, kind, label }: { url: string; kind: string; label: string }) {
  if (!fileOf(url).startsWith('/cdn/')) return <code>{url}</code>;
  return <MediaView url={stableUrls.of(url)} contentType={`${kind}/*`} label={`What ${label} made`} />;
}

function fileOf(url: string): string {
  return localUrl(url).split('?')[0] ?? '';
}

/** The content type of a post's URL is known from the step that made it. */
function kindOf({ kind, url }: OutputViewProps['output'], outputs: readonly RunOutput[]): string {
  if (kind !== 'post' || url === undefined) return kind;
  const file = fileOf(url);
  const made = outputs.find((other) => other.kind !== 'post' && other.url && fileOf(other.url) === file);
  return made?.kind ?? 'image';
}
