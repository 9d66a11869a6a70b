import {
  Check,
  CodeXml,
  Coins,
  FlaskConical,
  ListChecks,
  type LucideIcon,
  Send,
  Server,
  ShieldAlert,
  Snowflake,
  UserRound,
  Webhook,
  X,
} from 'lucide-react';
import type { MouseEvent } from 'react';
import { Link, useLocation } from 'wouter';
import { drawLanes } from '../../../control/orders/draw-lanes.ts';
import { percent, type ScaleName } from '../../../control/orders/timeline-scale.ts';
import { sendAgain, useAccounts, useClock } from '../data/account-and-clock.ts';
import { at } from '../data/addresses.ts';
import { callControl } from '../data/call-api.ts';
import { asCurl, asTest } from '../data/code-samples.ts';
import type { LaneKind, MadeFile, Step, Trail } from '../data/order-store.ts';
import { useOne } from '../data/queries.ts';
import type { Job, RequestRecord } from '../data/records.ts';
import { ActionButton, CopyText } from '../pieces/action-button.tsx';
import { PopupForm } from '../pieces/form.tsx';
import { drawTree } from '../pieces/page-parts.tsx';
import { Shot } from '../pieces/picture.tsx';

/** What can be done with the request of an order. */
export function RequestTools({ id }: { id: string }) {
  const { record } = useOne<RequestRecord>('/requests', id);
  return record && <ToolsOf record={record} />;
}

function ToolsOf({ record }: { record: RequestRecord }) {
  const { first } = useAccounts();
  const isFirst = first !== undefined && first.id === record.account_id;
  const [, navigate] = useLocation();
  const hindrance = whyNotAgain(record);
  return (
    <>
      <CopyText icon={CodeXml} text={() => asCurl(record, isFirst)}>
        Copy as curl
      </CopyText>
      <CopyText icon={FlaskConical} text={() => asTest(record)}>
        Copy as test
      </CopyText>
      <ActionButton
        text="Send again"
        icon={Send}
        busy="Sending"
        disabled={hindrance !== undefined}
        title={hindrance}
        act={() => sendAgain(record)}
        toast={['Sent again']}
        onSuccess={(id) => id && navigate(at.trail(id))}
      />
      <ActionButton
        text="Fail next time"
        icon={ShieldAlert}
        act={() => callControl('POST', '/faults', failNext(record))}
        toast={['The next one like this fails', 'A fault rule is armed for it.']}
      />
    </>
  );
}

/** A rule for the next request like one: its render fails where it makes one, else it is answered 503. */
function failNext({ path, account_id, job_ids }: RequestRecord) {
  const [plain = ''] = path.split('?');
  const match = { path: plain, ...(account_id === null ? {} : { account_id }) };
  const effect =
    job_ids.length > 0 ? { fail_job: 'render_failed' } : { status: 503, code: 'overloaded', retry_after: 1 };
  return { match, effect };
}

/** What can be done from a step. */
export function StepTools({ step }: { step: Step }) {
  const { isFrozen } = useClock();
  const [, navigate] = useLocation();
  const [id = ''] = step.refs;
  return (
    <>
      {step.kind === 'delivered' && (
        <ActionButton
          text="Redeliver"
          icon={Send}
          act={() => callControl<{ id: string }>('POST', `/deliveries/${step.id}/redeliver`)}
          toast={['Sent once more', 'The same id and bytes, under a new signature.']}
          onSuccess={(made) => navigate(at.trail(made.id))}
        />
      )}
      {id.startsWith('job_') && <JobEndings id={id} />}
      <ActionButton
        text={isFrozen ? 'Let the clock run' : 'Freeze here'}
        icon={Snowflake}
        variant="quiet"
        act={() => callControl('PUT', '/clock', { frozen: !isFrozen })}
      />
    </>
  );
}

/** Ends an open job by hand, whatever its progression says. */
function JobEndings({ id }: { id: string }) {
  const { record: job } = useOne<Job>('/jobs', id);
  if (!job || job.status === 'succeeded' || job.status === 'failed') return null;
  const finish = (end: object) => callControl<Job>('POST', `/jobs/${id}/finish`, end);
  return (
    <>
      <ActionButton
        text="Finish"
        icon={Check}
        variant="primary"
        busy="Rendering"
        act={() => finish({ outcome: 'succeeded' })}
        toast={['The job ends well as soon as it is rendered']}
      />
      <PopupForm
        text="Fail"
        icon={X}
        title="Fail this job"
        note="It is final at once, refunded and announced."
        action="Fail it"
        fields={[{ name: 'code', label: 'Error code', type: 'code', value: 'render_failed' }]}
        send={({ code }) => finish({ outcome: 'failed', code })}
        toast="The job has failed, and its credits are back"
      />
    </>
  );
}

/** Why a request cannot be sent as it was; undefined when it can. */
function whyNotAgain({ account_id, method, request }: RequestRecord): string | undefined {
  if (account_id === null) return 'It came without a good key.';
  if (request === null && method === 'POST') return 'Its upload is not kept.';
  if (request?.includes('… [cut: ')) return 'Its body was too long to be kept whole.';
  return undefined;
}

const ICONS: Record<LaneKind, LucideIcon> = {
  ...{ client: UserRound, service: Server, jobs: ListChecks, money: Coins, deliveries: Webhook },
};

const OWN = { 'lane-icon': LaneIcon, 'lane-thumb': MadeThumb };
const BAR = ['button', { type: 'button', className: 'bar bare', tabIndex: -1 }] as const;

interface DrawingProps {
  trail: Trail;
  scale: ScaleName;
  chosen: Step | undefined;
  onChoose: (step: string) => void;
}

/** One order on one axis: a lane for each who took part. */
export function TrailDrawing({ trail, scale, chosen, onChoose }: DrawingProps) {
  const onClick = ({ target }: MouseEvent<HTMLElement>) => {
    const step = target instanceof Element && target.closest<HTMLElement>('[data-step]')?.dataset.step;
    if (step) onChoose(step);
  };
  const attributes = { role: 'group', 'aria-label': 'The order on one axis of time', onClick };
  const onTrack = ({ id }: { id: string }, end: number) =>
    trail.made.filter(({ job_id }) => job_id === id).map((file) => ['lane-thumb', { file, end }] as const);
  return drawTree(drawLanes(trail, { scale, attributes, chosen, bar: BAR, onTrack }), OWN);
}

function LaneIcon({ kind }: { kind: LaneKind }) {
  const Icon = ICONS[kind];
  return <Icon aria-hidden />;
}

/** What a take came to, where it ended. */
function MadeThumb({ file, end }: { file: MadeFile; end: number }) {
  return (
    <Link
      className="lane-thumb"
      href={at.gallery(file.library_id)}
      aria-label={`Open the ${file.kind} in the gallery`}
      data-late={end > 0.95 ? '' : undefined}
      style={{ left: percent(end) }}
    >
      <Shot url={file.thumbnail_url} style={{ width: 32, height: 24 }} />
    </Link>
  );
}
