import type { WholeDelivery } from '../../../webhooks/webhook-records.ts';
import type { Step } from '../data/order-store.ts';
import { useOne, useRecord } from '../data/queries.ts';
import type { RequestRecord } from '../data/records.ts';
import { CopyButton, JsonView } from '../pieces/ids.tsx';
import { Section } from '../pieces/page-parts.tsx';
import { exactTime } from '../pieces/values.tsx';

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
  const { request, answer, engine_prompt: prompt } = record;
  return (
    <>
      <div className="bytes">
        {request !== null && <Bytes title="What was sent" label="Request body" value={request} />}
        {answer !== null && <Bytes title="What was answered" label="Answer body" value={answer} />}
      </div>
      {prompt && (
        <details>
          <summary>Prompt of the engine</summary>
          <EnginePrompt turns={prompt} />
        </details>
      )}
    </>
  );
}

function DeliveryBytes({ id }: { id: string }) {
  const { record } = useOne<WholeDelivery>('/deliveries', id);
  if (!record) return null;
  const { url, event_id, signature, envelope, response_status: status, response_body: body, error } = record;
  const headers = { 'svc-signature': signature, 'svc-emulator-event': event_id, 'svc-emulator-delivery': id };
  return (
    <>
      <div className="bytes">
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

/** What a receiver said, laid out where it is JSON. */
function readBody(body: string | null): unknown {
  try {
    return JSON.parse(body ?? 'null');
  } catch {
    return body;
  }
}

function RecordBytes({ path, title }: { path: string; title: string }) {
  const { data } = useRecord<object>(path);
  if (!data) return null;
  return (
    <div className="bytes">
      <Bytes title={title} label={title} value={data} />
    </div>
  );
}

/** Longer is not drawn at once: it would hold the page. */
const MOST_DRAWN = 40_000;

function Bytes({ title, label, value }: { title: string; label: string; value: unknown }) {
  const long = typeof value === 'string' && value.length > MOST_DRAWN;
  return (
    <div>
      <h3 className="soft small">{title}</h3>
      <JsonView value={long ? `${value.slice(0, MOST_DRAWN)}…` : value} label={label} />
    </div>
  );
}

/** The turns of a chat as its engine got them. */
function EnginePrompt({ turns }: { turns: NonNullable<RequestRecord['engine_prompt']> }) {
  return (
    <ol className="stack">
      {turns
        .map((turn, position) => ({ ...turn, position }))
        .map(({ role, text, images, position }) => (
          <li key={position}>
            <p className="soft small">
              {role}
              {images > 0 && `, ${images} ${images === 1 ? 'picture' : 'pictures'}`}
            </p>
            <p className="pre" dir="auto">
              {text}
            </p>
          </li>
        ))}
    </ol>
  );
}

/** Which part of the header is what, and the exact text that was signed: envelopes are kept as they were written. */
function SignatureExplained({ envelope, signature }: Pick<WholeDelivery, 'envelope' | 'signature'>) {
  if (!signature) return null;
  const parts = signature.split(',').map((part) => part.split('='));
  const t = parts.find(([name]) => name === 't')?.[1] ?? '';
  const v1 = parts.find(([name]) => name === 'v1')?.[1] ?? '';
  return (
    <Section title="Signature">
      <dl className="stack">
        <div>
          <dt>
            <code>
              <b data-part="t">t</b>={t}
            </code>
          </dt>
          <dd>When it was sent, in unix seconds: {exactTime(Number(t))}. Refuse it after 5 minutes.</dd>
        </div>
        <div>
          <dt>
            <code>
              <b data-part="v1">v1</b>={v1}
            </code>
          </dt>
          <dd>HMAC-SHA256 in hex, under the endpoint’s secret, of the text below.</dd>
        </div>
      </dl>
      <SignedText t={t} body={JSON.stringify(envelope)} />
    </Section>
  );
}

/** `t`, a full stop and the raw body: what is signed, byte for byte. */
function SignedText({ t, body }: { t: string; body: string }) {
  return (
    <div className="code framed sunken">
      <pre tabIndex={0} role="region" aria-label="Signed text">
        <b data-part="t">{t}</b>
        <b data-part="dot">.</b>
        {body}
      </pre>
      <CopyButton text={`${t}.${body}`} label="the signed text" />
    </div>
  );
}
