import * as icons from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { Link } from 'wouter';
import { tryParseJson } from '../../../base/text.ts';
import type { WireAnswer } from '../../../control/call-operation.ts';
import type { TimelineEntry, TimelineEntryKind } from '../../../control/orders/timeline-entry.ts';
import { MediaView } from '../components/media-view.tsx';
import { LiveOnly, Section } from '../components/page-parts.tsx';
import {
  CodeBlock,
  formatExactTime,
  JsonView,
  pluralizeCount,
  RelativeTime,
  renderTextMatches,
  shortId,
  TextLink,
  TimeOfDay,
} from '../components/values.tsx';
import { useEmulatorTime } from '../data/account-and-clock.ts';
import { recordPagePath, useRowKeyboardNavigation } from '../data/addresses.ts';
import { areaPathBuilders } from '../data/areas.ts';
import { loadableFileUrl } from '../data/call-api.ts';
import { useRecord } from '../data/queries.ts';
import type { RequestRecord, Timeline } from '../data/records.ts';
import type { TimelineTrack } from './lanes.tsx';
import { formatTimeOffset, type TimeScale } from './scale.ts';

export function EntryDetail(props: { timeline: Timeline; step: TimelineEntry; tools: ReactNode }) {
  const { timeline, step, tools } = props;
  const made = timeline.made.filter(({ job_id }) => step.refs.includes(job_id) && step.kind !== 'started');
  return (
    <section className="step-detail stack grow scrolls" aria-label="Selected step">
      <h2 className="row wrap">
        <span className="badge" data-tone={step.tone}>
          {formatTimeOffset(step.at)}
        </span>
        <span dir="auto">{step.text}</span>
      </h2>
      {detailsOf(timeline, step).map((text) => (
        <p key={text} dir="auto">
          <LinkedText text={text} />
        </p>
      ))}
      <div className="row wrap">{tools}</div>
      <Parts timeline={timeline} />
      {step.kind === 'succeeded' &&
        made.map((file) => (
          <div key={file.library_id} className="step-made">
            <MediaView file={file} label={timeline.title.slice(0, 120)} />
            <LiveOnly>
              <TextLink href={areaPathBuilders.gallery(file.library_id)} text="Open in the gallery" />
            </LiveOnly>
          </div>
        ))}
      <EntryBodies timeline={timeline} step={step} />
    </section>
  );
}

function detailsOf({ steps }: Timeline, { kind, details }: TimelineEntry): readonly string[] {
  if (kind !== 'received') return details;
  const checks = steps.filter(({ track, tone }) => track.lane === null && tone !== 'plain');
  return [...details, ...checks.map(({ text }) => text)];
}

const KINDS: readonly (readonly [string, string])[] = [
  ['req_', 'Requests'],
  ['job_', 'Jobs'],
  ['le_', 'Ledger entries'],
  ['lib_', 'Files'],
  ['evt_', 'Events'],
  ['dlv_', 'Deliveries'],
  ['run_', 'Run'],
  ['we_', 'Endpoints'],
  ['flt_', 'Fault'],
];
const MAX_IDS = 12;

function Parts({ timeline }: { timeline: Timeline }) {
  const ids = [...new Set(timeline.steps.flatMap(({ refs }) => refs))];
  return (
    <nav className="parts row wrap soft" aria-label="Related records">
      {KINDS.map(([prefix, name]) => {
        const own = ids.filter((id) => id.startsWith(prefix));
        if (own.length === 0) return null;
        return (
          <span key={prefix} className="row wrap">
            {name}
            {own.slice(0, MAX_IDS).map((id) => (
              <Link key={id} className="named mono" href={addressIn(timeline, id)} title={id} replace>
                <code>{shortId(id)}</code>
              </Link>
            ))}
            {own.length > MAX_IDS && ` and ${own.length - MAX_IDS} more`}
          </span>
        );
      })}
    </nav>
  );
}

function addressIn(timeline: Timeline, id: string): string {
  const step = timeline.steps.find((each) => each.id === id) ?? timeline.steps.find(({ refs }) => refs[0] === id);
  if (!step || /^(?:lib|we|run|flt)_/.test(id)) return recordPagePath(id) ?? areaPathBuilders.timeline(id);
  return `${areaPathBuilders.timeline(timeline.id)}?step=${step.id}`;
}

const NAMES = /\b([a-z]{2,8}_[0-9a-z]{16,32})\b|\b(\d{4}-\d\d-\d\dT[\d:.]+Z)/g;

function LinkedText({ text }: { text: string }) {
  return renderTextMatches(text, NAMES, ([, id = '', time]) => {
    if (time) return <TimeOfDay at={Date.parse(time) / 1000} />;
    const href = recordPagePath(id);
    return href ? <TextLink href={href} title={id} text={shortId(id)} /> : <code title={id}>{shortId(id)}</code>;
  });
}

interface StepListProps {
  timeline: Timeline;
  tracks: readonly TimelineTrack[];
  scale: TimeScale;
  chosen: string | undefined;
  onChoose: (step: string) => void;
  detail: ReactNode;
}

export function EntryList({ timeline, tracks, scale, chosen, onChoose, detail }: StepListProps) {
  const list = useRef<HTMLOListElement>(null);
  const steps = timeline.steps.filter(({ track }) => track.lane !== null);
  const show = (to: number) => list.current?.querySelectorAll<HTMLElement>('.step')[to]?.focus();
  const ids = steps.map(({ id }) => id);
  const { onKeyDown } = useRowKeyboardNavigation({ ids, opened: chosen, onOpen: onChoose, show });
  return (
    <ol className="steps scrolls" ref={list} aria-label="Steps">
      {steps.map((step, at) => {
        const gap = scale.gaps.find(({ to }) => to === step.at && steps[at - 1]?.at !== to);
        const isChosen = step.id === chosen;
        return (
          <li key={step.id}>
            {gap && <p className="soft small padded">{gap.text} without activity</p>}
            <button
              type="button"
              className="step row bare"
              data-tone={step.tone}
              aria-pressed={isChosen}
              tabIndex={isChosen || (at === 0 && chosen === undefined) ? 0 : -1}
              onClick={() => onChoose(step.id)}
              onKeyDown={onKeyDown}
            >
              <TracksAt {...{ steps, tracks, at }} />
              <span className="step-offset soft small fixed">{formatTimeOffset(step.at)}</span>
              <StepIcon step={step} />
              <span className="step-text cut toned" data-tone={step.tone === 'bad' ? 'bad' : undefined} dir="auto">
                {step.text}
              </span>
            </button>
            {isChosen && detail}
          </li>
        );
      })}
    </ol>
  );
}

function TracksAt(props: { steps: readonly TimelineEntry[]; tracks: readonly TimelineTrack[]; at: number }) {
  const { steps, tracks, at } = props;
  return (
    <span className="step-tracks" aria-hidden>
      {tracks.map(({ id }) => {
        const first = steps.findIndex(({ track }) => track.id === id);
        const last = steps.findLastIndex(({ track }) => track.id === id);
        const isOn = at >= first && at <= last && first !== last;
        const part = !isOn ? undefined : at === first ? 'from' : at === last ? 'to' : 'through';
        const tone = steps[at]?.track.id === id ? steps[at]?.tone : undefined;
        return <i key={id} data-part={part} data-tone={tone} />;
      })}
    </span>
  );
}

const ICONS: Partial<Record<TimelineEntryKind, icons.LucideIcon>> = {
  received: icons.UserRound,
  fault: icons.Diamond,
  charged: icons.Coins,
  refunded: icons.Undo2,
  returned: icons.Check,
  queued: icons.Loader,
  started: icons.Loader,
  failed: icons.X,
  succeeded: icons.Check,
  read: icons.RefreshCw,
  published: icons.Zap,
  delivered: icons.Webhook,
  clock: icons.Clock,
  note: icons.StickyNote,
  run: icons.Workflow,
};

function StepIcon({ step }: { step: TimelineEntry }) {
  const Icon = step.kind === 'returned' && step.tone === 'bad' ? icons.X : (ICONS[step.kind] ?? icons.Circle);
  return <Icon aria-hidden className="toned" data-tone={step.tone} />;
}

function EntryBodies({ timeline, step }: { timeline: Timeline; step: TimelineEntry }) {
  const [id = ''] = step.refs;
  if (id.startsWith('req_')) return <RequestBytes id={id} />;
  if (id.startsWith('dlv_')) return <DeliveryBytes id={id} />;
  const part = timeline.parts[id];
  if (part) return <Bytes title={id.startsWith('le_') ? 'Ledger entry' : 'Event'} value={part} />;
  if (id.startsWith('job_')) return <RecordBytes name="getJob" id={id} title="Job" />;
  if (id.startsWith('run_')) return <RecordBytes name="showRun" id={id} title="Run" />;
  return null;
}

function RequestBytes({ id }: { id: string }) {
  const { record } = useRecord('showRequest', id);
  if (!record) return null;
  const { request, answer, engine_prompt: prompt } = record;
  return (
    <>
      <div className="tiles">
        {request !== null && <Bytes title="Request body" value={request} />}
        {answer !== null && <Bytes title="Response body" value={answer} />}
      </div>
      {prompt && (
        <details>
          <summary>Engine prompt</summary>
          <CodeBlock text={prompt.map(turnText).join('\n\n')} label="Engine prompt" />
        </details>
      )}
    </>
  );
}

function turnText({ role, text, images }: NonNullable<RequestRecord['engine_prompt']>[number]): string {
  return `${role}${images === 0 ? '' : `, ${pluralizeCount(images, 'image')}`}\n${text}`;
}

function DeliveryBytes({ id }: { id: string }) {
  const { record } = useRecord('showDelivery', id);
  if (!record) return null;
  const { url, event_id, signature, envelope, fault, response_status: status, response_body: body, error } = record;
  const said = { status, error, body: tryParseJson(body) ?? body };
  const headers = { 'svc-signature': signature, 'svc-emulator-event': event_id, 'svc-emulator-delivery': id };
  return (
    <>
      <div className="tiles">
        <Bytes title={`Sent to ${url}`} label="Envelope" value={{ headers, body: envelope }} />
        <Bytes title="Response from the receiver" value={said} />
      </div>
      <SignatureExplained {...{ envelope, signature, fault }} />
    </>
  );
}

function RecordBytes({ name, id, title }: { name: 'getJob' | 'showRun'; id: string; title: string }) {
  const { record } = useRecord(name, id);
  return <div className="tiles">{record && <Bytes title={title} value={record} />}</div>;
}

type Signed = Pick<WireAnswer<'showDelivery'>, 'envelope' | 'signature' | 'fault'>;

/** The faults that send another body than the envelope of the event, or a signature of another secret. */
const UNEXPLAINED: readonly Signed['fault'][] = ['bad_signature', 'forged', 'spelled', 'unknown_type'];

function SignatureExplained({ envelope, signature, fault }: Signed) {
  if (!signature) return null;
  if (UNEXPLAINED.includes(fault)) {
    return (
      <Section title="Signature">
        <p>
          The fault <code>{fault}</code> changed the body or the signature of this delivery, so its signed text is not
          shown.
        </p>
      </Section>
    );
  }
  const { t = '', v1 } = Object.fromEntries(signature.split(',').map((part) => part.split('=')));
  const details = {
    [`t=${t}`]: `Time of sending in Unix seconds: ${formatExactTime(Number(t))}. Reject it after 5 minutes.`,
    [`v1=${v1}`]: 'HMAC-SHA256 in hex with the endpoint’s secret over the text below: t, a period, the raw body.',
  };
  return (
    <Section title="Signature">
      {Object.entries(details).map(([part, meaning]) => (
        <p key={part}>
          <code>{part}</code> <span className="soft">{meaning}</span>
        </p>
      ))}
      <CodeBlock text={`${t}.${JSON.stringify(envelope)}`} label="Signed text" />
    </Section>
  );
}

/** The most characters of a text that are shown, because longer texts would block the page. */
const MAX_DRAWN = 40_000;

function Bytes({ title, label = title, value }: { title: string; label?: string; value: unknown }) {
  const long = typeof value === 'string' && value.length > MAX_DRAWN;
  return (
    <div>
      <h3 className="soft small">{title}</h3>
      <JsonView value={long ? `${value.slice(0, MAX_DRAWN)}…` : value} label={label} />
      <LiveOnly>
        <SignedLinks text={typeof value === 'string' ? value : JSON.stringify(value)} />
      </LiveOnly>
    </div>
  );
}

const SIGNED = /https?:\/\/[^"\s\\]+[?&]expires=(\d+)[^"\s\\]*/g;
const MAX_LINKS = 4;

function SignedLinks({ text }: { text: string }) {
  const now = useEmulatorTime();
  const found = new Map([...text.matchAll(SIGNED)].map(([url, expires]) => [url, Number(expires)]));
  return [...found].slice(0, MAX_LINKS).map(([url, expires]) => (
    <p key={url} className="small toned" data-tone={expires <= now ? 'bad' : undefined}>
      {expires <= now ? 'This link expired ' : 'This link is valid: it expires '}
      <RelativeTime at={expires} />.{' '}
      <a className="named" href={loadableFileUrl(url)} target="_blank" rel="noreferrer">
        {expires <= now ? 'Opening it returns 403 url_expired' : 'Open it'}
      </a>
    </p>
  ));
}
