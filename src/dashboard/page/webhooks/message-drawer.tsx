import { useList } from '../data/queries.ts';
import { useFilter } from '../pieces/browser-hooks.ts';
import { type Column, column, softColumn, TIME_COLUMN } from '../pieces/data-list.tsx';
import { type DrawerOf, RecordDrawer } from '../pieces/drawer.tsx';
import { Facts, Notice, Section } from '../pieces/page-parts.tsx';
import { Badge, Code, formatNumber, IdChip, JsonView, RelativeTime, type Tone } from '../pieces/values.tsx';
import { type Endpoint, type HeldInbox, inboxOf, type Message } from './webhook-records.ts';

/** Whether a message is what an endpoint of this inbox was sent. */
function Verdict({ signature: { verified } }: Message) {
  if (verified === null) return <Badge tone="plain">unsigned</Badge>;
  return <Badge tone={verified ? 'good' : 'bad'}>{verified ? 'verified' : 'not genuine'}</Badge>;
}

export const MESSAGE_COLUMNS: readonly Column<Message>[] = [
  TIME_COLUMN,
  column('Signature', '96px', (message) => <Verdict {...message} />, { line: 1 }),
  column('Message', 'minmax(200px, 1fr)', subjectOf, { line: 1, grow: true }),
  softColumn('Why', 'minmax(120px, 1fr)', ({ signature: { reason } }) => reason, { line: 2, grow: true }),
  softColumn('Size', '72px', ({ bytes }) => `${formatNumber(bytes)} B`, { align: 'end', line: 2 }),
];

export function toneOfMessage({ signature: { verified } }: Message): Tone | undefined {
  return verified === false ? 'bad' : undefined;
}

/** The type of event, or how the request began. */
function subjectOf({ method, path, body }: Message): string {
  const type = /"type":"([a-z.]{1,60})"/.exec(body?.slice(0, 300) ?? '')?.[1];
  return type ?? `${method} ${path}`;
}

/** One message of an inbox: headers, exact body, and whether it is genuine. */
export function MessageDrawer({ id, onClose }: DrawerOf) {
  const { name } = useInboxes();
  const { data, error } = useList<Message>(`/inbox/${name}/messages`);
  return (
    <RecordDrawer
      {...{ label: 'Message', id, error, onClose }}
      record={data?.find((each) => each.id === id)}
      gone={data && `The inbox ${name} has no such message any more.`}
      title={subjectOf}
      before={(message) => <Genuine {...message} />}
      facts={factsOf}
    >
      {({ headers, body, body_base64: base64 }) => (
        <>
          <Section title="Headers">
            <Facts facts={headers} />
          </Section>
          <Section title="Body">
            {body === null ? (
              <Code text={base64 ?? ''} label="Body in Base64" />
            ) : (
              <JsonView value={body} label="Message body" />
            )}
          </Section>
        </>
      )}
    </RecordDrawer>
  );
}

function Genuine({ signature: { verified, endpoint_id, reason } }: Message) {
  if (verified === null) return null;
  if (!verified) return <Notice tone="bad">{reason}</Notice>;
  return (
    <Notice tone="good">
      Genuine: the signature fits the secret of <IdChip id={endpoint_id ?? ''} />.
    </Notice>
  );
}

function factsOf(message: Message) {
  const { id, method, path, headers, created, received_at, bytes } = message;
  const { 'svc-emulator-delivery': delivery, 'svc-emulator-event': event } = headers;
  return {
    Message: <IdChip id={id} />,
    Request: (
      <code>
        {method} {path}
      </code>
    ),
    Signature: <Verdict {...message} />,
    Delivery: delivery && <IdChip id={delivery} />,
    Event: event && <IdChip id={event} />,
    Time: <RelativeTime at={created} />,
    Received: received_at,
    Size: `${bytes} bytes`,
  };
}

const FIRST = 'mine';

/** Which inboxes there are, by messages and endpoints, and the one that is chosen by the address. */
export function useInboxes() {
  const [chosen, choose] = useFilter('inbox');
  const { data: held = [] } = useList<HeldInbox>('/inbox');
  const { data: endpoints = [] } = useList<Endpoint>('/endpoints');
  const led = endpoints.flatMap(({ url }) => inboxOf(url) ?? []);
  const known = [...held.map(({ name }) => name), ...led];
  const name = chosen || (known[0] ?? FIRST);
  return { name, choose, names: [...new Set([name, ...known, FIRST])].sort() };
}
