import { Check, X } from 'lucide-react';
import { useState } from 'react';
import { callControl, localUrl, recordSource } from '../data/call-api.ts';
import { ActionButton } from '../pieces/action-button.tsx';
import { Labelled } from '../pieces/form-field.tsx';
import { MediaView } from '../pieces/media-view.tsx';
import type { RunOutput, WholeRun } from './flows-tab.tsx';

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
          variant="primary"
          act={() => decide(isChanged ? { choice: 'approve', text: edited } : { choice: 'approve' })}
          toast={['Approved']}
        />
        <ActionButton
          text="Reject"
          icon={X}
          act={() => decide({ choice: 'reject' })}
          toast={['Rejected: the run has failed']}
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
export function OutputView({ output, outputs }: OutputViewProps) {
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
  return <MediaView url={url} contentType={`${kind}/*`} label={`What ${label} made`} />;
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
