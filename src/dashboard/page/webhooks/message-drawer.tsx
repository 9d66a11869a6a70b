import { useList } from '../data/queries.ts';
import { Notice } from '../pieces/error-notice.tsx';
import { IdChip } from '../pieces/id-chip.tsx';
import { Code, JsonView } from '../pieces/json-view.tsx';
import { Facts, Section } from '../pieces/page-head.tsx';
import { RecordDrawer } from '../pieces/record-drawer.tsx';
import { RelativeTime } from '../pieces/relative-time.tsx';
import { subjectOf, Verdict } from './message-columns.tsx';
import type { Message } from './sent-records.ts';
import { useInboxes } from './use-inboxes.ts';

/** One message of an inbox: headers, exact body, and whether it is genuine. */
export function MessageDrawer({ id, onClose }: { id: string; onClose: () => void }) {
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
