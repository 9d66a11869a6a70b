import { useMediaQuery } from '@base-ui/react/unstable-use-media-query';
import * as icons from 'lucide-react';
import type { TimelineEntry } from '../../../control/orders/timeline-entry.ts';
import { ActionButton, CopyTextButton } from '../components/action-button.tsx';
import {
  Button,
  EmptyState,
  ErrorNotice,
  FilterChoices,
  LinkButton,
  PageHeader,
  useSetOpenRecordTitle,
} from '../components/page-parts.tsx';
import { accountDisplayName, formatExactTime, formatNumber, pluralizeCount } from '../components/values.tsx';
import { resendRequest, useAccountSelection, useClock, useLoadedAccount } from '../data/account-and-clock.ts';
import { useFilterChoice, useOpenRecord, useUrlParam } from '../data/addresses.ts';
import { hasModifierKey, isInFormControl, useEscape, useGlobalKeyDown } from '../data/browser.ts';
import { callControl } from '../data/call-api.ts';
import { useAdjacentOrderIds, useTimeline } from '../data/order-store.ts';
import { useRecord } from '../data/queries.ts';
import { EntryDetail, EntryList } from './entry-detail.tsx';
import './timeline.css';
import { useLocation } from 'wouter';
import { PopupForm } from '../components/form.tsx';
import { areaPathBuilders } from '../data/areas.ts';
import { formatCurlCommand } from '../data/code-samples.ts';
import type { RequestRecord, Timeline } from '../data/records.ts';
import { findReproducibilityProblem, generateVitestTest, whyBodyIsMissing } from '../data/test-sample.ts';
import { buildTimelineTracks, Lanes } from './lanes.tsx';
import { createTimeScale } from './scale.ts';

const SCALE = { name: 'scale', label: 'Scale', options: { even: 'Even', linear: 'To scale' } };
const LEGEND = Object.entries({ queued: 'queued', rendering: 'rendering', mark: 'injected' });

/** Milliseconds between reloads of an open order. */
const AGAIN = 700;

export default function TimelinePage() {
  const { id = '' } = useOpenRecord('timeline');
  const again = (timeline?: Timeline) => timeline?.line.time.is_open === true && AGAIN;
  const { data, error } = useTimeline(id, { enabled: id !== '', again });
  const [, navigate] = useLocation();
  useEscape(() => navigate(areaPathBuilders.live()));
  if (data) return <TimelineOf key={data.id} timeline={data} asked={id} />;
  if (!error) return <div className="loading fill" role="status" aria-label="Loading" />;
  return (
    <>
      <PageHeader title="Timeline" />
      <ErrorNotice error={error} />
      <EmptyState icon={icons.Route} title="Nothing is recorded under this id" inTrace>
        <LinkButton text="Go to Live" href={areaPathBuilders.live()} />
      </EmptyState>
    </>
  );
}

function TimelineOf({ timeline, asked }: { timeline: Timeline; asked: string }) {
  const [step, choose] = useUrlParam('step');
  const isLinear = useFilterChoice(SCALE) === 'linear';
  const isNarrow = useMediaQuery('(max-width: 900px)', {});
  const tracks = buildTimelineTracks(timeline);
  const bars = tracks.flatMap((track) => track.bars);
  const scale = createTimeScale(bars, isLinear);
  const chosen = timeline.steps.find(({ id }) => id === (step || stepAsked(timeline, asked)));
  const { began, emulated } = timeline.clock;
  useSetOpenRecordTitle(timeline.title);
  const detail = chosen && <EntryDetail timeline={timeline} step={chosen} tools={<StepTools step={chosen} />} />;
  return (
    <div className="timeline-page column fill">
      <TimelineHead timeline={timeline} />
      <div className="timeline-status row padded soft small fixed">
        <span className="badge" data-tone={timeline.tone === 'work' ? 'wait' : timeline.tone} title={timeline.text}>
          <span className="cut">{timeline.text}</span>
        </span>
        <p className="cut grow">
          Local time from <strong>{formatExactTime(began / 1000)}</strong>
          {emulated !== null &&
            Math.abs(emulated - began) > 1000 &&
            ` · emulator time ${formatExactTime(emulated / 1000)}`}
        </p>
        {!isNarrow &&
          LEGEND.map(([look, text]) => (
            <span key={look} className="row">
              <i className="bar key" data-look={look}>
                <i className="bar-fill" />
              </i>
              {text}
            </span>
          ))}
        {!isNarrow && <FilterChoices {...SCALE} />}
      </div>
      {!isNarrow && <Lanes {...{ tracks, scale, chosen }} made={timeline.made} onChoose={choose} />}
      <div className="timeline-below fill">
        <EntryList {...{ timeline, tracks, scale }} chosen={chosen?.id} onChoose={choose} detail={isNarrow && detail} />
        {!isNarrow && detail}
      </div>
    </div>
  );
}

function stepAsked({ steps, chosen, id }: Timeline, asked: string): string | null {
  if (asked === id) return chosen;
  const own =
    steps.find((step) => step.id === asked) ??
    steps.find(({ refs }) => refs[0] === asked) ??
    steps.find(({ refs }) => refs.includes(asked));
  return own?.id ?? chosen;
}

function TimelineHead({ timeline }: { timeline: Timeline }) {
  const { request, account: payer, status } = timeline.line;
  const { charged, refunded } = status.money;
  const account = useLoadedAccount(payer.id);
  const share = refunded === charged ? 'fully' : formatNumber(refunded);
  const credits = pluralizeCount(charged, 'credit') + (refunded === 0 ? '' : `, ${share} refunded`);
  const note = [request.model, request.kind, account && accountDisplayName(account), credits]
    .filter(Boolean)
    .join(' · ');
  return (
    <header className="timeline-head page-head row wrap ruled fixed">
      <LinkButton text="Back to Live" icon={icons.ArrowLeft} variant="quiet" isSmall href={areaPathBuilders.live()} />
      <Neighbours id={timeline.id} />
      <div className="timeline-title">
        <h1 className="cut" dir="auto" title={timeline.title}>
          {timeline.title}
        </h1>
        <p className="soft cut">{note}</p>
      </div>
      <div className="timeline-acts row wrap">
        {timeline.id.startsWith('req_') && <RequestTools timeline={timeline} />}
      </div>
    </header>
  );
}

function Neighbours({ id }: { id: string }) {
  const { newer, older } = useAdjacentOrderIds(id);
  const [, navigate] = useLocation();
  useGlobalKeyDown((event) => {
    const to = { k: newer, j: older }[event.key];
    if (to && !hasModifierKey(event) && !isInFormControl(event.target)) navigate(areaPathBuilders.timeline(to));
  });
  const neighbours = [
    { icon: icons.ChevronUp, text: 'Newer request (K)', to: newer },
    { icon: icons.ChevronDown, text: 'Older request (J)', to: older },
  ];
  return neighbours.map(({ to, ...look }) => (
    <Button
      key={look.text}
      {...look}
      variant="quiet"
      isSmall
      disabled={!to}
      onClick={() => navigate(areaPathBuilders.timeline(to))}
    />
  ));
}

function RequestTools({ timeline }: { timeline: Timeline }) {
  const { record } = useRecord('showRequest', timeline.id);
  const { first } = useAccountSelection();
  const owner = timeline.line.account.id;
  const { record: account } = useRecord('showAccount', owner ?? '', { enabled: owner !== null });
  const [, navigate] = useLocation();
  if (!record) return null;
  const isFirst = first !== undefined && first.id === record.account_id;
  const hindrance = record.account_id === null ? 'The request had no valid key.' : whyBodyIsMissing(record);
  const untested = findReproducibilityProblem(record, timeline.steps);
  return (
    <>
      <CopyTextButton name="Copy as curl" icon={icons.CodeXml} text={() => formatCurlCommand(record, isFirst)} />
      <CopyTextButton
        name="Copy as test"
        icon={icons.FlaskConical}
        disabled={untested !== undefined || (owner !== null && !account)}
        title={untested}
        text={() => generateVitestTest(record, timeline, account?.plan)}
      />
      <ActionButton
        text="Send again"
        icon={icons.Send}
        busy="Sending"
        disabled={hindrance !== undefined}
        title={hindrance}
        act={() => resendRequest(record)}
        toast={['Sent again']}
        onSuccess={(id) => id && navigate(areaPathBuilders.timeline(id))}
      />
      <ActionButton
        text="Fail next time"
        icon={icons.ShieldAlert}
        act={() => callControl('createFault', failNext(record))}
        toast={['The next request like this one fails', 'A fault rule was created.']}
      />
    </>
  );
}

function failNext({ path, account_id, job_ids }: RequestRecord) {
  const [plain = ''] = path.split('?');
  const match = { path: plain, ...(account_id === null ? {} : { account_id }) };
  const effect =
    job_ids.length > 0 ? { fail_job: 'render_failed' } : { status: 503, code: 'overloaded', retry_after: 1 };
  return { match, effect };
}

function StepTools({ step }: { step: TimelineEntry }) {
  const { isFrozen } = useClock();
  const [, navigate] = useLocation();
  const [id = ''] = step.refs;
  return (
    <>
      {step.kind === 'delivered' && (
        <ActionButton
          text="Redeliver"
          icon={icons.Send}
          act={() => callControl('redeliver', { id: step.id })}
          toast={['Redelivered', 'Same id and body, new signature.']}
          onSuccess={(made) => navigate(areaPathBuilders.timeline(made.id))}
        />
      )}
      {id.startsWith('job_') && <JobEndings id={id} />}
      <ActionButton
        text={isFrozen ? 'Resume the clock' : 'Freeze the clock'}
        icon={icons.Snowflake}
        variant="quiet"
        act={() => callControl('setClock', { frozen: !isFrozen })}
      />
    </>
  );
}

function JobEndings({ id }: { id: string }) {
  const { record: job } = useRecord('getJob', id);
  if (!job || job.status === 'succeeded' || job.status === 'failed') return null;
  return (
    <>
      <ActionButton
        text="Finish"
        icon={icons.Check}
        variant="primary"
        busy="Rendering"
        act={() => callControl('finishJob', { id, outcome: 'succeeded' })}
        toast={['The job succeeds as soon as it is rendered']}
      />
      <PopupForm
        text="Fail"
        icon={icons.X}
        title="Fail this job"
        note="The job fails now, its charge is refunded, and its event is sent."
        action="Fail job"
        fields={[{ name: 'code', label: 'Error code', type: 'code', value: 'render_failed' }]}
        send={({ code }) => callControl('finishJob', { id, outcome: 'failed', code })}
        toast="Job failed and refunded"
      />
    </>
  );
}
