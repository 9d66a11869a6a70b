import * as icons from 'lucide-react';
import { useState } from 'react';
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
import { callControl, tryParseJson } from '../data/call-api.ts';
import { type ListRecord, useLocallySearchedList, useRecordFromList, useRows } from '../data/queries.ts';
import type { Endpoint } from '../data/records.ts';
import { inboxNameFromUrl, rememberEndpointSecret } from './endpoints.tsx';

type Message = ListRecord<'listMessages'>;
type ReportCard = WireAnswer<'verifyReceiver'>;
type CheckResult = ReportCard['checks'][number];

export function InboxTab(opening: OpenRowProps) {
  const { name } = useInboxes();
  const found = useLocallySearchedList('listMessages', { name });
  return (
    <RecordList
      {...{ label: 'Messages', search: 'Search messages', columns: MESSAGE_COLUMNS }}
      toneOf={({ signature }) => (signature.verified === false ? 'bad' : undefined)}
      {...{ found, ...opening, tools: <InboxTools /> }}
      none={{ icon: icons.Inbox, title: `The inbox “${name}” is empty`, description: <NoMessages /> }}
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

function InboxTools() {
  const { name, names, choose } = useInboxes();
  const endpoint = useOwnEndpoint(name);
  const { account } = useAccountSelection();
  return (
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
}

function useOwnEndpoint(name: string): Endpoint | undefined {
  const { account } = useAccountSelection();
  const { data: endpoints = [] } = useRows('listEndpoints', {});
  return endpoints.find(
    ({ url, workspace_id }) => inboxNameFromUrl(url) === name && workspace_id === account?.workspace_id,
  );
}

function NoMessages() {
  const { name } = useInboxes();
  if (useOwnEndpoint(name)) return <p>Events of this workspace are sent here. Send a sample to try it.</p>;
  return (
    <>
      <p>Send events here with one click, or post a message yourself:</p>
      <CodeBlock
        text={`curl ${window.location.origin}/_emulator/inbox/${name} -d hello`}
        label="A message to the inbox"
      />
    </>
  );
}

const FIELDS: readonly FieldSpec[] = [
  { name: 'url', label: 'URL of your receiver', type: 'text', placeholder: 'http://localhost:3000/events' },
  { name: 'secret', label: 'Signing secret', type: 'text', placeholder: 'whsec_…' },
];

const TONES: Record<CheckResult['verdict'], Tone> = { pass: 'good', fail: 'bad', skipped: 'plain' };

export function ReceiverChecksTab() {
  const [card, setCard] = useState<ReportCard>();
  return (
    <div className="report-card drawer-body fill scrolls">
      <FieldsForm
        {...{
          fields: FIELDS,
          action: 'Run checks',
          busy: 'Running checks',
          icon: icons.ClipboardCheck,
          onSuccess: setCard,
        }}
        before={() => (
          <p className="soft">
            Sends valid, forged, late and duplicate deliveries to your receiver, and checks each response. Nothing is
            recorded or charged.
          </p>
        )}
        send={({ url = '', secret = '' }) => callControl('verifyReceiver', { url, secret })}
      />
      {card && <Card card={card} />}
    </div>
  );
}

function Card({ card: { ok, passed, failed, skipped, checks } }: { card: ReportCard }) {
  return (
    <>
      <Notice tone={ok ? 'good' : 'bad'}>
        {passed} of {checks.length} checks passed, {failed} failed, {skipped} skipped.
      </Notice>
      <ul className="lines framed" aria-label="Checks">
        {checks.map((check) => (
          <li key={check.name}>
            <CheckLine check={check} />
          </li>
        ))}
      </ul>
    </>
  );
}

function CheckLine({ check }: { check: CheckResult }) {
  const { title, verdict, correct, got, fix, note, duration_ms } = check;
  return (
    <details open={verdict === 'fail'}>
      <summary className="line">
        <Badge tone={TONES[verdict]}>{verdict}</Badge>
        <span className="cut grow">{title}</span>
        <span className="soft">{durationText(duration_ms)}</span>
      </summary>
      <DetailList details={{ Expected: correct, Received: got, Fix: fix, Note: note }} />
    </details>
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

/** The largest body, in bytes, that is parsed to show its `type`. */
const MAX_PARSED = 65_536;

function subjectOf({ method, path, body, bytes }: Message): string {
  const { type } = Object(body !== null && bytes <= MAX_PARSED ? tryParseJson(body) : undefined);
  return typeof type === 'string' ? type.slice(0, 60) : `${method} ${path}`;
}

export function MessageDrawer({ id, onClose }: TabDrawerProps) {
  const { name } = useInboxes();
  return (
    <RecordDrawer
      {...useRecordFromList('listMessages', id, { name })}
      {...{ label: 'Message', onClose, details: detailsOf }}
      gone={`This message is no longer in the inbox ${name}.`}
      title={subjectOf}
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

function detailsOf(message: Message) {
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
    Size: pluralizeCount(bytes, 'byte'),
  };
}

const FIRST = 'mine';

function useInboxes() {
  const [chosen, choose] = useUrlParam('inbox');
  const { data: endpoints = [] } = useRows('listEndpoints', {});
  const known = endpoints.flatMap(({ url }) => inboxNameFromUrl(url) ?? []);
  const name = chosen || (known[0] ?? FIRST);
  return { name, choose, names: [...new Set([name, ...known, FIRST])].sort() };
}
