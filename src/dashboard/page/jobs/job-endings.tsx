import { Check, X } from 'lucide-react';
import { useState } from 'react';
import { callControl } from '../data/call-api.ts';
import { useAct } from '../data/queries.ts';
import type { Job } from '../data/records.ts';
import { Button } from '../pieces/button.tsx';
import { FormField } from '../pieces/form-field.tsx';
import { OfService } from '../pieces/of-service.tsx';
import { PopupForm } from '../pieces/popup-form.tsx';
import { say, sayError } from '../pieces/toast.tsx';

/** Ends an open job by hand, whatever its progression says. */
export function JobEndings({ job }: { job: Job }) {
  const finish = useAct(
    () => callControl<Job>('POST', `/jobs/${job.id}/finish`, { outcome: 'succeeded' }),
    ({ status }) => say(status === 'succeeded' ? 'The job has succeeded' : 'It is final when it is rendered'),
  );
  return (
    <div className="job-endings">
      <OfService>
        <Button
          look="primary"
          icon={<Check aria-hidden />}
          disabled={finish.isPending}
          onClick={() => finish.mutate(undefined, { onError: sayError })}
        >
          {finish.isPending ? 'Rendering' : 'Finish'}
        </Button>
      </OfService>
      <FailForm job={job} />
    </div>
  );
}

function FailForm({ job }: { job: Job }) {
  const [code, setCode] = useState('render_failed');
  const fail = async () => {
    await callControl('POST', `/jobs/${job.id}/finish`, { outcome: 'failed', code });
    say('The job has failed, and its credits are back');
  };
  return (
    <PopupForm
      trigger={<Button icon={<X aria-hidden />}>Fail</Button>}
      title="Fail this job"
      note="It is final at once, refunded and announced."
      action="Fail it"
      onSend={fail}
    >
      <FormField label="Error code" note="Lower-case letters, digits and underscores.">
        <input
          className="input"
          required
          pattern="[a-z0-9_]{1,64}"
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
      </FormField>
    </PopupForm>
  );
}
