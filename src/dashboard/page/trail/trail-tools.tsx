import { CodeXml, FlaskConical, Send, ShieldAlert, Snowflake } from 'lucide-react';
import { useLocation } from 'wouter';
import { callControl } from '../data/call-api.ts';
import { useAccounts } from '../data/chosen-account.ts';
import { asCurl, asTest } from '../data/code-samples.ts';
import { useClock } from '../data/emulator-clock.ts';
import type { Step, Trail } from '../data/order-views.ts';
import { at } from '../data/paths.ts';
import { useAct, useRecord } from '../data/queries.ts';
import type { RequestRecord } from '../data/records.ts';
import { Button } from '../pieces/button.tsx';
import { useCopy } from '../pieces/copy-button.tsx';
import { OfService } from '../pieces/of-service.tsx';
import { say, sayError } from '../pieces/toast.tsx';
import { sendAgain, whyNotAgain } from './send-again.ts';

/** What can be done with the request of an order. */
export function RequestTools({ id }: { id: string }) {
  const { data } = useRecord<RequestRecord>(`/requests/${id}`);
  return data?.id === id ? <ToolsOf record={data} /> : null;
}

function ToolsOf({ record }: { record: RequestRecord }) {
  const { first } = useAccounts();
  const isFirst = first !== undefined && first.id === record.account_id;
  const curl = useCopy();
  const test = useCopy();
  const [, navigate] = useLocation();
  const again = useAct(sendAgain, (id) => {
    say('Sent again', undefined, 'good');
    if (id) navigate(at.trail(id));
  });
  const fail = useAct(
    () => callControl('POST', '/faults', failNext(record)),
    () => say('The next one like this fails', 'A fault rule is armed for it.', 'wait'),
  );
  const hindrance = whyNotAgain(record);
  return (
    <>
      <Button icon={<CodeXml aria-hidden />} onClick={() => curl.copy(asCurl(record, isFirst))}>
        {curl.copied ? 'Copied' : 'Copy as curl'}
      </Button>
      <Button icon={<FlaskConical aria-hidden />} onClick={() => test.copy(asTest(record))}>
        {test.copied ? 'Copied' : 'Copy as test'}
      </Button>
      <OfService>
        <Button
          icon={<Send aria-hidden />}
          disabled={hindrance !== undefined || again.isPending}
          title={hindrance}
          onClick={() => again.mutate(record, { onError: sayError })}
        >
          {again.isPending ? 'Sending' : 'Send again'}
        </Button>
        <Button icon={<ShieldAlert aria-hidden />} onClick={() => fail.mutate(undefined, { onError: sayError })}>
          Fail next time
        </Button>
      </OfService>
    </>
  );
}

/** A rule for the next request like one: its render fails where it makes one, else it is answered 503. */
function failNext({ path, account_id, job_ids }: RequestRecord) {
  const [plain = ''] = path.split('?');
  const match = { path: plain, ...(account_id === null ? {} : { account_id }) };
  const effect =
    job_ids.length > 0 ? { fail_job: 'render_failed' } : { status: 503, code: 'overloaded', retry_after: 1 };
  return { match, effect };
}

/** What can be done from a step. */
export function StepTools({ step }: { trail: Trail; step: Step }) {
  const { isFrozen } = useClock();
  const freeze = useAct(() => callControl('PUT', '/clock', { frozen: !isFrozen }));
  const again = useAct(
    (id: string) => callControl('POST', `/deliveries/${id}/redeliver`),
    () => say('Sent once more', undefined, 'good'),
  );
  return (
    <OfService>
      {step.kind === 'delivered' && (
        <Button icon={<Send aria-hidden />} onClick={() => again.mutate(step.id, { onError: sayError })}>
          Redeliver
        </Button>
      )}
      <Button
        look="quiet"
        icon={<Snowflake aria-hidden />}
        onClick={() => freeze.mutate(undefined, { onError: sayError })}
      >
        {isFrozen ? 'Let the clock run' : 'Freeze here'}
      </Button>
    </OfService>
  );
}
