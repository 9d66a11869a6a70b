import { Check, X } from 'lucide-react';
import { useState } from 'react';
import { callControl } from '../data/call-api.ts';
import { recordSource } from '../data/record-source.ts';
import { Act } from '../pieces/act.tsx';
import { FormField } from '../pieces/form-field.tsx';
import type { WholeRun } from './flow-records.ts';
import { OutputView } from './output-view.tsx';

type Waiting = NonNullable<WholeRun['waiting']>;

interface Click {
  choice: 'approve' | 'reject';
  text?: string;
}

/** A post that waits for somebody: shown as it would go out, its text open to change. */
export function WaitingPost({ run, waiting }: { run: WholeRun; waiting: Waiting }) {
  const { text, url, nodeId } = waiting;
  const [edited, setEdited] = useState(text ?? '');
  const decide = (order: Click) => callControl<WholeRun>('POST', `/runs/${run.id}/click`, order);
  const isChanged = edited !== (text ?? '');
  return (
    <div className="stack">
      {text !== null && (
        <FormField label="Text of the post" note={isChanged ? 'Changed by you.' : undefined}>
          <textarea
            className="input"
            dir="auto"
            rows={6}
            readOnly={recordSource.value !== undefined}
            value={edited}
            onChange={(event) => setEdited(event.target.value)}
          />
        </FormField>
      )}
      <div className="drawer-tools row wrap">
        <Act
          text={isChanged ? 'Approve with this text' : 'Approve'}
          icon={Check}
          look="primary"
          act={() => decide(isChanged ? { choice: 'approve', text: edited } : { choice: 'approve' })}
          said={['Approved']}
        />
        <Act text="Reject" icon={X} act={() => decide({ choice: 'reject' })} said={['Rejected: the run has failed']} />
      </div>
      {url !== null && <OutputView output={{ kind: 'post', url, nodeId }} outputs={run.outputs} />}
    </div>
  );
}
