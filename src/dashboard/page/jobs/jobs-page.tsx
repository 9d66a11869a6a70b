import { ListChecks, Pause, Play, RotateCcw } from 'lucide-react';
import { useLocation } from 'wouter';
import type { WireAnswer, WireInput } from '../../../control/call-operation.ts';
import { durationText, roundedDurationText } from '../../../control/orders/timeline-entry.ts';
import { ActionButton } from '../components/action-button.tsx';
import {
  column,
  type ListSpec,
  mutedColumn,
  RecordList,
  relativeTimeColumn,
  textColumn,
} from '../components/data-list.tsx';
import { PopupForm } from '../components/form.tsx';
import { KeyFigure, PageHeader } from '../components/page-parts.tsx';
import { Badge, Credits, pluralizeCount, StatusBadge, TonedText } from '../components/values.tsx';
import { emulatorNow, useAccountSelection, useClock, useEmulatorTime } from '../data/account-and-clock.ts';
import { areaPathBuilders } from '../data/areas.ts';
import { browserNow } from '../data/browser.ts';
import { callControl } from '../data/call-api.ts';
import { useFilteredRecords, useOperation } from '../data/queries.ts';
import type { Account, Job } from '../data/records.ts';

const STEPS = [
  ['+1 hour', 3600],
  ['+1 day', 86_400],
  ['+8 days', 8 * 86_400],
] as const;
const TIME = { name: 'time', label: 'Date and time', type: 'time', note: 'In the time zone of this browser.' } as const;
const FULL = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
/** Swedish times are those of ISO 8601, with a space before the hour. */
const SORTABLE = new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'medium' });

function ClockFigure() {
  const { now, isFrozen, movedBy } = useClock();
  const away = `${movedBy > 0 ? '+' : '−'}${roundedDurationText(Math.abs(movedBy))}`;
  const set = (change: WireInput<'setClock'>) => callControl('setClock', change);
  const tools = (
    <div className="row wrap" role="group" aria-label="Move the clock">
      {STEPS.map(([text, seconds]) => (
        <ActionButton
          key={text}
          text={text}
          act={() => callControl('advanceClock', { seconds })}
          toast={['Clock moved', 'Everything that was due has been settled.']}
        />
      ))}
      <ActionButton
        text={isFrozen ? 'Resume' : 'Freeze'}
        icon={isFrozen ? Play : Pause}
        act={() => set({ frozen: !isFrozen })}
      />
      <PopupForm
        text="Set"
        title="Set the clock"
        note="A frozen clock stays frozen. Everything that becomes due is settled."
        action="Set the clock"
        fields={() => [{ ...TIME, value: SORTABLE.format(emulatorNow()).replace(' ', 'T') }]}
        send={({ time = '' }) => set({ now: new Date(time).toISOString() })}
      />
      {movedBy !== 0 && (
        <ActionButton
          text="Back to now"
          icon={RotateCcw}
          variant="quiet"
          act={() => set({ now: new Date(browserNow()).toISOString(), frozen: false })}
        />
      )}
    </div>
  );
  return (
    <KeyFigure name="Emulator clock" tool={tools}>
      <span>{FULL.format(now * 1000)}</span>
      {isFrozen && <Badge tone="wait">frozen</Badge>}
      {movedBy !== 0 && <Badge tone="wait">{away}</Badge>}
    </KeyFigure>
  );
}

type Progression = WireAnswer<'getProgression'>;

function textOf({ mode, value = 0 }: Progression): string {
  if (mode === 'render') return 'when rendering ends';
  if (mode === 'manual') return 'manually';
  if (mode === 'polls') return value === 1 ? 'at the first poll' : `at poll ${value}`;
  return `after ${durationText(value * 1000)}`;
}

const MODES = [
  ['render', 'Render', 'A job finishes as soon as its file is rendered.'],
  ['seconds', 'Seconds', "A job finishes this many seconds after its request, by the emulator's clock."],
  ['polls', 'Polls', 'A job finishes when the client polls it this many times.'],
  ['manual', 'Manually', 'A job finishes when you finish it here.'],
] as const;

const SCOPES = [
  ['all', 'All accounts'],
  ['own', 'This account'],
] as const;

function ProgressionFigure({ account }: { account: Account }) {
  const { data } = useOperation('getProgression', { account_id: account.id });
  if (!data) return <KeyFigure name="Jobs finish">–</KeyFigure>;
  const isOwn = data.account_id !== undefined;
  const amount = { name: 'value', type: 'number', value: String(data.value ?? 60) } as const;
  const set = (order: WireInput<'setProgression'>) => callControl('setProgression', order);
  const tools = (
    <div className="row wrap">
      {isOwn && (
        <ActionButton text="Use the default" variant="quiet" act={() => set({ mode: null, account_id: account.id })} />
      )}
      <PopupForm
        text="Change"
        title="When jobs finish"
        note={({ mode = data.mode }) => MODES.find(([each]) => each === mode)?.[2]}
        action="Save"
        fields={({ mode = data.mode }) => [
          { name: 'mode', label: 'Mode', type: 'choices', options: MODES, value: data.mode },
          ...(mode === 'seconds' ? [{ ...amount, label: 'Seconds', step: 'any' } as const] : []),
          ...(mode === 'polls' ? [{ ...amount, label: 'Polls', min: 1 } as const] : []),
          { name: 'scope', label: 'Applies to', type: 'choices', options: SCOPES, value: isOwn ? 'own' : 'all' },
        ]}
        send={({ mode, value, scope }) =>
          set({
            mode: mode as Progression['mode'],
            value: value ? Number(value) : undefined,
            account_id: scope === 'own' ? account.id : undefined,
          })
        }
      />
    </div>
  );
  return (
    <KeyFigure name="Jobs finish" note={isOwn ? `${account.name ?? 'this account'} only` : 'all accounts'} tool={tools}>
      {textOf(data)}
    </KeyFigure>
  );
}

function askedOf({ prompt, input, title, style }: Job): string {
  return String(prompt ?? input ?? title ?? style ?? '');
}

/** Milliseconds between reloads of the list while a job is in progress. */
const AGAIN = 2000;

const JOBS: ListSpec<Job> = {
  label: 'Jobs',
  columns: [
    column('State', '88px', ({ status }) => <StatusBadge status={status} />, { line: 1 }),
    column('Kind', '56px', ({ object }) => KINDS[object] ?? object, { line: 1 }),
    textColumn('Prompt', 'minmax(140px, 3fr)', askedOf, { line: 1, grow: true }),
    column('Outcome', '168px', (job) => <JobProgress job={job} />, { line: 2, grow: true }),
    mutedColumn('Model', '136px', ({ model }) => model, { wide: true }),
    relativeTimeColumn('Created', ({ created }) => created, { line: 2 }),
    column('Credits', '96px', creditsCell, { align: 'end', line: 2 }),
  ],
  toneOf: ({ status, progress }) => (status === 'failed' ? 'bad' : progress?.mode === 'manual' ? 'wait' : undefined),
  choices: {
    name: 'status',
    label: 'State',
    options: { all: 'All', open: 'In progress', succeeded: 'Succeeded', failed: 'Failed' },
  },
  icon: ListChecks,
  hint: 'Create an image, video, speech or song to see its job here.',
};

export default function JobsPage() {
  const { account } = useAccountSelection();
  const [, navigate] = useLocation();
  const again = (jobs?: readonly Job[]) => jobs?.some(isOpen) === true && AGAIN;
  const found = useFilteredRecords('listJobs', {}, { choices: JOBS.choices, again });
  return (
    <>
      <PageHeader title="Jobs and time" />
      <div className="measured column fill">
        <div className="panels ruled fixed">
          <ClockFigure />
          {account && <ProgressionFigure key={account.id} account={account} />}
        </div>
        <RecordList {...JOBS} found={found} onOpen={(id) => navigate(areaPathBuilders.timeline(id))} />
      </div>
    </>
  );
}

const isOpen = ({ status }: Job) => status === 'queued' || status === 'processing';

function creditsCell({ credits, status }: Job) {
  if (status !== 'failed') return <Credits amount={credits} />;
  return (
    <span className="soft" title={`${pluralizeCount(credits, 'credit')}, refunded`}>
      <Credits amount={credits} /> refunded
    </span>
  );
}

function JobProgress({ job: { id, created, completed, error, progress } }: { job: Job }) {
  const now = useEmulatorTime();
  if (error) {
    return (
      <TonedText tone="bad" code>
        {error.code}
      </TonedText>
    );
  }
  if (completed !== undefined) {
    const took = completed - created;
    return <span className="soft">{took === 0 ? 'in under 1 s' : `after ${durationText(took * 1000)}`}</span>;
  }
  if (!progress) return null;
  const { mode, due, share } = progress;
  const rendered = share === null ? 'rendering' : `${Math.round(share * 100)} % of polls`;
  const wait = due === null ? rendered : due <= now ? 'due now' : `due in ${roundedDurationText(due - now)}`;
  const text = mode === 'manual' ? 'waiting for you' : wait;
  const done = due === null ? share : Math.min(1, Math.max(0, (now - created) / Math.max(1, due - created)));
  if (done === null) return <TonedText tone="wait">{text}</TonedText>;
  return (
    <span className="job-progress row">
      <progress aria-label={`Progress of ${id}`} value={done} max={1} />
      {text}
    </span>
  );
}

const KINDS: Record<string, string> = {
  'image.generation': 'Image',
  'video.generation': 'Video',
  'audio.speech': 'Speech',
  'music.generation': 'Song',
};
