import type { WholeDelivery } from '../../../engine/webhooks/webhook-records.ts';
import type { Step } from '../data/order-store.ts';
import { useOne, useRecord } from '../data/queries.ts';
import type { RequestRecord } from '../data/records.ts';
import { Section } from '../pieces/page-parts.tsx';
import { Code, counted, exactTime, JsonView } from '../pieces/values.tsx';

/** The bytes of a step: what was sent and what was answered, or the record that it is of. */
export function StepBytes({ step }: { step: Step }) {
  const [id = ''] = step.refs;
  if (id.startsWith('req_')) return <RequestBytes id={id} />;
  if (id.startsWith('dlv_')) return <DeliveryBytes id={id} />;
  const [, resource, title] = RECORDS.find(([prefix]) => id.startsWith(prefix)) ?? [];
  return title && <RecordBytes path={`/${resource}/${id}`} title={title} />;
}

const RECORDS: readonly (readonly [string, string, string])[] = [
  ['job_', 'jobs', 'What a read of the job answers now'],
  ['le_', 'ledger', 'The ledger entry'],
  ['evt_', 'events', 'The event'],
  ['run_', 'runs', 'The run'],
];

function RequestBytes({ id }: { id: string }) {
  const { record } = useOne<RequestRecord>('/requests', id);
  if (!record) return null;
  const { request, answer, lie, response, truth, engine_prompt: prompt } = record;
  return (
    <>
      {lie && response && truth && <LieBesideTruth lie={lie} sent={partsOf(response)} truth={partsOf(truth)} />}
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
  const shown = images === 0 ? '' : `, ${counted(images, 'picture')}`;
  return `${role}${shown}\n${text}`;
}

function DeliveryBytes({ id }: { id: string }) {
  const { record } = useOne<WholeDelivery>('/deliveries', id);
  if (!record) return null;
  const { url, event_id, signature, envelope, response_status: status, response_body: body, error } = record;
  const { lie, truth } = record;
  const said = { status, error, body: readBody(body) };
  const headers = { 'svc-signature': signature, 'svc-emulator-event': event_id, 'svc-emulator-delivery': id };
  return (
    <>
      {lie && truth && <LieBesideTruth lie={lie} sent={envelope} truth={truth} />}
      <div className="tiles">
        <Bytes title={`Sent to ${url}`} label="Envelope" value={{ headers, body: envelope }} />
        <Bytes title="What the receiver said" label="Receiver's answer" value={said} />
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

/** What a receiver said, laid out where it is JSON. */
function readBody(body: string | null): unknown {
  try {
    return JSON.parse(body ?? 'null');
  } catch {
    return body;
  }
}

/** An answer as it is compared: what lies leave alone differs in no header but its length. */
function partsOf({ status, headers, body }: NonNullable<RequestRecord['truth']>): object {
  const { 'content-length': _length, etag: _etag, ...others } = headers;
  return { status, headers: others, body: readBody(body) };
}

/** What left in place of what is true, side by side, with the fields in which they differ. */
function LieBesideTruth({ lie, sent, truth }: { lie: string; sent: object; truth: object }) {
  const changed = changedPaths(sent, truth);
  return (
    <Section title="This emulator lied on purpose">
      <p>
        <span className="badge" data-tone="bad">
          {lie}
        </span>{' '}
        changed {changed.slice(0, MOST_CHANGED).join(', ') || 'the spelling alone'}
        {changed.length > MOST_CHANGED && ` and ${changed.length - MOST_CHANGED} more`}
      </p>
      <div className="tiles">
        <Bytes title="What was sent under the lie" label="Sent under the lie" value={sent} />
        <Bytes title="What is true" label="What is true" value={truth} />
      </div>
    </Section>
  );
}

const MOST_CHANGED = 8;

/** The dotted paths at which two values differ, the deepest that both have. */
function changedPaths(sent: unknown, truth: unknown, path = ''): string[] {
  if (JSON.stringify(sent) === JSON.stringify(truth)) return [];
  const isDeep = [sent, truth].every((each) => typeof each === 'object' && each !== null);
  if (!isDeep) return [path || 'all of it'];
  const names = new Set([...Object.keys(Object(sent)), ...Object.keys(Object(truth))]);
  return [...names].flatMap((name) =>
    changedPaths(Object(sent)[name], Object(truth)[name], path === '' ? name : `${path}.${name}`),
  );
}
