import { useList } from '../data/queries.ts';
import { Drawer } from '../pieces/drawer.tsx';
import { ErrorNotice, Notice } from '../pieces/error-notice.tsx';
import { IdChip } from '../pieces/id-chip.tsx';
import { Code, JsonView } from '../pieces/json-view.tsx';
import { Facts, Section } from '../pieces/page-head.tsx';
import { RelativeTime } from '../pieces/relative-time.tsx';
import { subjectOf, Verdict } from './message-columns.tsx';
import type { Message } from './sent-records.ts';
import { useInboxes } from './use-inboxes.ts';

/** One message of an inbox: headers, exact body, and whether it is genuine. */
export function MessageDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { name } = useInboxes();
  const { data, error } = useList<Message>(`/inbox/${name}/messages`);
  const message = data?.find((each) => each.id === id);
  return (
    <Drawer label="Message" title={message ? subjectOf(message) : id} onClose={onClose}>
      <ErrorNotice error={error} />
      {data && !message && <Notice tone="wait">The inbox {name} has no such message any more.</Notice>}
      {message && <MessageContents message={message} />}
    </Drawer>
  );
}

function MessageContents({ message }: { message: Message }) {
  const { headers, body, body_base64: base64, signature } = message;
  return (
    <>
      {signature.verified && (
        <Notice tone="good">
          Genuine: the signature fits the secret of <IdChip id={signature.endpoint_id ?? ''} />.
        </Notice>
      )}
      {signature.verified === false && <Notice tone="bad">{signature.reason}</Notice>}
      <Section title="Facts">
        <Facts facts={factsOf(message)} />
      </Section>
      <Section title="Headers">
        <dl className="hook-headers">
          {Object.entries(headers).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </Section>
      <Section title="Body">
        {body === '' ? (
          <p className="soft">Empty.</p>
        ) : body === null ? (
          <Code text={base64 ?? ''} label="Body in Base64" />
        ) : (
          <JsonView value={body} label="Message body" />
        )}
      </Section>
    </>
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
