import type { ReactNode } from 'react';
import { useList } from '../data/queries.ts';
import type { DeliveryRecord, EventRecord, Job, RequestRecord } from '../data/records.ts';
import { Credits } from '../pieces/credits.tsx';
import { IdChip } from '../pieces/id-chip.tsx';
import { RelativeTime } from '../pieces/relative-time.tsx';
import { StatusBadge, type Tone, toneOfStatus } from '../pieces/status-badge.tsx';
import { errorOfAnswer } from './answer-error.ts';
import { durationText } from './request-columns.tsx';

interface Step {
  key: string;
  tone: Tone;
  title: ReactNode;
  note?: ReactNode;
  at?: number;
}

/** How long a story may be looked at before its jobs are asked for again, in milliseconds. */
const AGAIN = 1000;

/** What a request set going, in order: from its arrival to the last delivery. */
export function StorySteps({ record }: { record: RequestRecord }) {
  const { account_id, job_ids, event_ids, delivery_ids } = record;
  const options = { params: { account_id, limit: 1000 }, enabled: job_ids.length > 0 };
  const { data: jobs = [] } = useList<Job>('/jobs', options);
  const ownJobs = jobs.filter(({ id }) => job_ids.includes(id)).toReversed();
  useList<Job>('/jobs', { ...options, again: ownJobs.some(isUnderWay) && AGAIN });
  const { data: events = [] } = useList<EventRecord>('/events', options);
  const { data: deliveries = [] } = useList<DeliveryRecord>('/deliveries', options);
  const renders = ownJobs.flatMap(jobSteps);
  // What is put off is answered first, everything else when it is done.
  const work =
    record.status === 202 ? [answerStep(record), ...renders] : [...renders, answerStep(record)];
  const steps = [
    ...beginning(record),
    ...work,
    ...events
      .filter(({ id }) => event_ids.includes(id))
      .toReversed()
      .map(eventStep),
    ...deliveries
      .filter(({ id }) => delivery_ids.includes(id))
      .toReversed()
      .map(deliveryStep),
  ];
  return (
    <ol className="story">
      {steps.map(({ key, tone, title, note, at }) => (
        <li key={key} className="story-step" data-tone={tone}>
          <span className="story-dot" aria-hidden />
          <span className="story-title">{title}</span>
          <span className="soft">{at !== undefined && <RelativeTime at={at} />}</span>
          {note && <div className="story-note">{note}</div>}
        </li>
      ))}
    </ol>
  );
}

function beginning({ operation, created, credits, charges, fault }: RequestRecord): Step[] {
  const request: Step = {
    key: 'request',
    tone: 'plain',
    title: 'Request',
    note: operation ?? 'No operation has this path',
    at: created,
  };
  const charge: Step = {
    key: 'charge',
    tone: 'bad',
    title: (
      <>
        Charged <Credits amount={-(credits ?? 0)} signed unit />
      </>
    ),
    note: charges.map((id) => <IdChip key={id} id={id} />),
  };
  const struck: Step = {
    key: 'fault',
    tone: 'wait',
    title: 'A fault struck',
    note: fault && <IdChip id={fault} />,
  };
  return [request, ...(fault ? [struck] : []), ...(credits ? [charge] : [])];
}

function answerStep({ status, duration_ms, answer }: RequestRecord): Step {
  const error = errorOfAnswer(answer, status);
  return {
    key: 'answer',
    tone: toneOfStatus(status),
    title: status === 0 ? 'Connection reset' : `Answered ${status} in ${durationText(duration_ms)}`,
    note: error && (
      <>
        <code className="remark-error">{error.code}</code> {error.message}
      </>
    ),
  };
}

function jobSteps(job: Job): Step[] {
  const { id, status, model, created, completed, library_id, error } = job;
  const begun: Step = {
    key: id,
    tone: 'plain',
    title: `Render by ${model}`,
    note: <IdChip id={id} />,
    at: created,
  };
  if (isUnderWay(job)) {
    return [{ ...begun, tone: 'wait', title: `${begun.title} is ${status}` }];
  }
  const note = library_id ? <IdChip id={library_id} /> : error && `${error.code}: ${error.message}`;
  const end = { key: `${id} end`, tone: toneOfStatus(status), title: `Render ${status}`, note };
  return [begun, completed === undefined ? end : { ...end, at: completed }];
}

function eventStep({ id, type, envelope }: EventRecord): Step {
  const { created } = envelope;
  return { key: id, tone: 'plain', title: type, note: <IdChip id={id} />, at: created };
}

function deliveryStep({ id, url, status }: DeliveryRecord): Step {
  return {
    key: id,
    tone: toneOfStatus(status),
    title: (
      <>
        Delivery <StatusBadge status={status} />
      </>
    ),
    note: (
      <>
        <IdChip id={id} /> {url}
      </>
    ),
  };
}

function isUnderWay({ status }: Job): boolean {
  return status === 'queued' || status === 'processing';
}
