import * as icons from 'lucide-react';
import { useState } from 'react';
import { tryParseJson } from '../../../base/text.ts';
import type { WireAnswer } from '../../../control/call-operation.ts';
import { durationText } from '../../../control/orders/timeline-entry.ts';
import { ActionButton } from '../components/action-button.tsx';
import {
  column,
  type ListColumn,
  mutedColumn,
  type OpenRowProps,
  RecordList,
  TIME_COLUMN,
} from '../components/data-list.tsx';
import { RecordDrawer, type TabDrawerProps } from '../components/drawer.tsx';
import { type FieldSpec, FieldsForm, PopupForm, SelectField } from '../components/form.tsx';
import { DetailList, Notice, Section } from '../components/page-parts.tsx';
import {
  Badge,
  CodeBlock,
  formatNumber,
  IdChip,
  JsonView,
  pluralizeCount,
  RelativeTime,
  type Tone,
} from '../components/values.tsx';
import { useAccountSelection } from '../data/account-and-clock.ts';
import { useUrlParam } from '../data/addresses.ts';
import { callControl } from '../data/call-api.ts';
import { type ListRecord, useLocalSearch, useRecordFromList, useRows } from '../data/queries.ts';
import { inboxNameFromUrl, rememberEndpointSecret } from './endpoints.tsx';

type Message = ListRecord<'listMessages'>;
type ReportCard = WireAnswer<'verifyReceiver'>;

export function InboxTab(opening: OpenRowProps) {
  const { name, names, choose, account, endpoint } = useInboxes();
  const found = useLocalSearch(useRows('listMessages', { name }));
  const hint = endpoint ? (
    <p>Events of this workspace are sent here. Send a sample to try it.</p>
  ) : (
    <>
      <p>Send events here with one click, or post a message yourself:</p>
      <CodeBlock
        text={`curl ${window.location.origin}/_emulator/inbox/${name} -d hello`}
        label="A message to the inbox"
      />
    </>
  );
  const tools = (
    <>
      <SelectField label="Inbox" value={name} options={names.map((each) => [each])} onChange={choose} />
      <PopupForm
        {...{ text: 'Another inbox', action: 'Open', fields: [ANOTHER] }}
        note="An inbox exists as soon as you name it."
        send={async ({ name: given = '' }) => choose(given)}
      />
      <span className="grow" />
      {endpoint ? (
        <span className="soft">
          Receives events from <IdChip id={endpoint.id} />
        </span>
      ) : (
        <ActionButton
          text="Send events here"
          icon={icons.Inbox}
          variant="primary"
          disabled={!account}
          act={() => callControl('addEndpoint', { inbox: name, workspace_id: account?.workspace_id })}
          toast={['Events are sent here', 'Every event of this workspace from now on.']}
          onSuccess={rememberEndpointSecret}
        />
      )}
    </>
  );
  return (
    <RecordList
      {...{ label: 'Messages', columns: MESSAGE_COLUMNS, found, tools, icon: icons.Inbox, hint, ...opening }}
      toneOf={({ signature }) => (signature.verified === false ? 'bad' : undefined)}
      none={`The inbox “${name}” is empty`}
    />
  );
}

const ANOTHER: FieldSpec = {
  name: 'name',
  label: 'Name',
  type: 'text',
  pattern: '[A-Za-z0-9_\\-]{1,64}',
  note: 'Letters, digits, dashes and underscores.',
};

const FIELDS: readonly FieldSpec[] = [
  { name: 'url', label: 'URL of your receiver', type: 'text', placeholder: 'http://localhost:3000/events' },
  { name: 'secret', label: 'Signing secret', type: 'text', placeholder: 'whsec_…' },
];

const TONES: Record<ReportCard['checks'][number]['verdict'], Tone> = { pass: 'good', fail: 'bad', skipped: 'plain' };

export function ReceiverChecksTab() {
  const [card, setCard] = useState<ReportCard>();
  return (
    <div className="report-card drawer-body fill scrolls">
      <FieldsForm
        fields={FIELDS}
        action="Run checks"
        busy="Running checks"
        icon={icons.ClipboardCheck}
        onSuccess={setCard}
        before={() => (
          <p className="soft">
            Sends valid, forged, late and duplicate deliveries to your receiver, and checks each response. Nothing is
            recorded or charged.
          </p>
        )}
        send={({ url = '', secret = '' }) => callControl('verifyReceiver', { url, secret })}
      />
      {card && (
        <Notice tone={card.ok ? 'good' : 'bad'}>
          {card.passed} of {card.checks.length} checks passed, {card.failed} failed, {card.skipped} skipped.
        </Notice>
      )}
      {card && (
        <ul className="lines framed" aria-label="Checks">
          {card.checks.map(({ name, title, verdict, correct, got, fix, note, duration_ms }) => (
            <li key={name}>
              <details open={verdict === 'fail'}>
                <summary className="line">
                  <Badge tone={TONES[verdict]}>{verdict}</Badge>
                  <span className="cut grow">{title}</span>
                  <span className="soft">{durationText(duration_ms)}</span>
                </summary>
                <DetailList details={{ Expected: correct, Received: got, Fix: fix, Note: note }} />
              </details>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Verdict({ signature: { verified } }: Message) {
  if (verified === null) return <Badge tone="plain">unsigned</Badge>;
  return <Badge tone={verified ? 'good' : 'bad'}>{verified ? 'verified' : 'invalid'}</Badge>;
}

const MESSAGE_COLUMNS: readonly ListColumn<Message>[] = [
  TIME_COLUMN,
  column('Signature', '96px', (message) => <Verdict {...message} />, { line: 1 }),
  column('Message', 'minmax(200px, 1fr)', subjectOf, { line: 1, grow: true }),
  mutedColumn('Reason', 'minmax(120px, 1fr)', ({ signature: { reason } }) => reason, { line: 2, grow: true }),
  mutedColumn('Size', '72px', ({ bytes }) => `${formatNumber(bytes)} B`, { align: 'end', line: 2 }),
];

function subjectOf({ method, path, body }: Message): string {
  const { type } = Object(tryParseJson(body));
  return typeof type === 'string' ? type.slice(0, 60) : `${method} ${path}`;
}

export function MessageDrawer({ id, onClose }: TabDrawerProps) {
  const { name } = useInboxes();
  return (
    <RecordDrawer
      {...useRecordFromList('listMessages', id, { name })}
      {...{ label: 'Message', onClose }}
      gone={`This message is no longer in the inbox ${name}.`}
      title={subjectOf}
      details={(message) => {
        const { 'svc-emulator-delivery': delivery, 'svc-emulator-event': event } = message.headers;
        return {
          Message: <IdChip id={id} />,
          Request: (
            <code>
              {message.method} {message.path}
            </code>
          ),
          Signature: <Verdict {...message} />,
          Delivery: delivery && <IdChip id={delivery} />,
          Event: event && <IdChip id={event} />,
          Time: <RelativeTime at={message.created} />,
          Received: message.received_at,
          Size: pluralizeCount(message.bytes, 'byte'),
        };
      }}
      before={(message) => <Genuine {...message} />}
    >
      {({ headers, body, body_base64: base64 }) => (
        <>
          <Section title="Headers">
            <DetailList details={headers} />
          </Section>
          <Section title="Body">
            {body === null ? (
              <CodeBlock text={base64 ?? ''} label="Body in Base64" />
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
      The signature matches the secret of <IdChip id={endpoint_id ?? ''} />.
    </Notice>
  );
}

const FIRST = 'mine';

function useInboxes() {
  const [chosen, choose] = useUrlParam('inbox');
  const { account } = useAccountSelection();
  const { data: endpoints = [] } = useRows('listEndpoints', {});
  const known = endpoints.flatMap(({ url }) => inboxNameFromUrl(url) ?? []);
  const name = chosen || (known[0] ?? FIRST);
  const own = endpoints.filter(({ workspace_id }) => workspace_id === account?.workspace_id);
  const endpoint = own.find(({ url }) => inboxNameFromUrl(url) === name);
  return { name, choose, names: [...new Set([name, ...known, FIRST])].sort(), account, endpoint };
}
