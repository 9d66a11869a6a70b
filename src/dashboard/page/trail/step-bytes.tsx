import type { WholeDelivery } from '../../../webhooks/webhook-records.ts';
import type { Step } from '../data/order-store.ts';
import { useOne, useRecord } from '../data/queries.ts';
import type { RequestRecord } from '../data/records.ts';
import { Section } from '../pieces/page-parts.tsx';
import { Code, exactTime } from '../pieces/values.tsx';
import { AnswersBeside, Bytes, LieBesideTruth, readBody } from './sent-bytes.tsx';

/** The bytes of a step: what was sent and what was answered, or the record that it is of. */
export function StepBytes({ step }: { step: Step }) {
  const [id = ''] = step.refs;
  if (id.startsWith('req_')) return <RequestBytes id={id} />;
  if (id.startsWith('dlv_')) return <DeliveryBytes id={id} />;
  const path = recordPath(id);
  return path && <RecordBytes path={path.path} title={path.title} />;
}

function recordPath(id: string): { path: string; title: string } | undefined {
  if (id.startsWith('job_')) return { path: `/jobs/${id}`, title: 'What a read of the job answers now' };
  if (id.startsWith('le_')) return { path: `/ledger/${id}`, title: 'The ledger entry' };
  if (id.startsWith('evt_')) return { path: `/events/${id}`, title: 'The event' };
  return id.startsWith('run_') ? { path: `/runs/${id}`, title: 'The run' } : undefined;
}

function RequestBytes({ id }: { id: string }) {
  const { record } = useOne<RequestRecord>('/requests', id);
  if (!record) return null;
  const { request, answer, lie, response, truth, engine_prompt: prompt } = record;
  return (
    <>
      {lie && response && truth && <AnswersBeside lie={lie} told={response} truth={truth} />}
      <div className="tiles">
        {request !== null && <Bytes title="What was sent" label="Request body" value={request} />}
        {answer !== null && !truth && <Bytes title="What was answered" label="Answer body" value={answer} />}
      </div>
      {prompt && (
        <details>
          <summary>Prompt of the engine</summary>
          <Code text={prompt.map(turnText).join('\n\n')} label="Prompt of the engine" />
        </details>
      )}
    </>
  );
}

/** A turn of a chat as its engine got it. */
function turnText({ role, text, images }: NonNullable<RequestRecord['engine_prompt']>[number]): string {
  const shown = images === 0 ? '' : `, ${images} ${images === 1 ? 'picture' : 'pictures'}`;
  return `${role}${shown}\n${text}`;
}

function DeliveryBytes({ id }: { id: string }) {
  const { record } = useOne<WholeDelivery>('/deliveries', id);
  if (!record) return null;
  const { url, event_id, signature, envelope, response_status: status, response_body: body, error } = record;
  const { lie, truth } = record;
  const headers = { 'svc-signature': signature, 'svc-emulator-event': event_id, 'svc-emulator-delivery': id };
  return (
    <>
      {lie && truth && <LieBesideTruth lie={lie} told={envelope} truth={truth} />}
      <div className="tiles">
        <Bytes title={`Sent to ${url}`} label="Envelope" value={{ headers, body: envelope }} />
        <Bytes
          title="What the receiver said"
          label="Receiver's answer"
          value={{ status, error, body: readBody(body) }}
        />
      </div>
      <SignatureExplained {...{ envelope, signature }} />
    </>
  );
}

function RecordBytes({ path, title }: { path: string; title: string }) {
  const { data } = useRecord<object>(path);
  if (!data) return null;
  return (
    <div className="tiles">
      <Bytes title={title} label={title} value={data} />
    </div>
  );
}

/** Which part of the header is what, and the exact text that was signed: envelopes are kept as they were written. */
function SignatureExplained({ envelope, signature }: Pick<WholeDelivery, 'envelope' | 'signature'>) {
  if (!signature) return null;
  const { t = '', v1 } = Object.fromEntries(signature.split(',').map((part) => part.split('=')));
  const facts = {
    [`t=${t}`]: `When it was sent, in unix seconds: ${exactTime(Number(t))}. Refuse it after 5 minutes.`,
    [`v1=${v1}`]: 'HMAC-SHA256 in hex, under the endpoint’s secret, of the text below: t, a full stop, the raw body.',
  };
  return (
    <Section title="Signature">
      {Object.entries(facts).map(([part, meaning]) => (
        <p key={part}>
          <code>{part}</code> <span className="soft">{meaning}</span>
        </p>
      ))}
      <Code text={`${t}.${JSON.stringify(envelope)}`} label="The signed text" />
    </Section>
  );
}
