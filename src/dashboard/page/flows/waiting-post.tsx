import { Check, X } from 'lucide-react';
import { useState } from 'react';
import { callControl } from '../data/call-api.ts';
import { useAct } from '../data/queries.ts';
import { recordSource } from '../data/record-source.ts';
import { Button } from '../pieces/button.tsx';
import { FormField } from '../pieces/form-field.tsx';
import { OfService } from '../pieces/of-service.tsx';
import { say, sayError } from '../pieces/toast.tsx';
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
  const click = useAct(
    (order: Click) => callControl<WholeRun>('POST', `/runs/${run.id}/click`, order),
    ({ status }) => say(status === 'failed' ? 'Rejected: the run has failed' : 'Approved'),
  );
  const decide = (order: Click) => click.mutate(order, { onError: sayError });
  const isChanged = edited !== (text ?? '');
  return (
    <div className="run-output">
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
      {url !== null && <OutputView output={{ kind: 'post', url, nodeId }} outputs={run.outputs} />}
      <OfService>
        <div className="flow-buttons">
          <Button
            look="primary"
            icon={<Check aria-hidden />}
            disabled={click.isPending}
            onClick={() => decide(isChanged ? { choice: 'approve', text: edited } : { choice: 'approve' })}
          >
            {isChanged ? 'Approve with this text' : 'Approve'}
          </Button>
          <Button icon={<X aria-hidden />} disabled={click.isPending} onClick={() => decide({ choice: 'reject' })}>
            Reject
          </Button>
        </div>
      </OfService>
    </div>
  );
}
