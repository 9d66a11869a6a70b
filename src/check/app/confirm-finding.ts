import type { RunDrawing, SignedBar } from '../../control/orders/report-file.ts';
import { type Bar, LANES, type LaneKind, type TimelineEvent } from '../../control/orders/timeline-event.ts';
import { lengthText, scaleOf } from '../../control/orders/timeline-scale.ts';
import { unitKey } from '../../engine/accounts/units.ts';
import { type DeliveryRow, type JobRow, type RequestRow, type RunRecord, testOf } from '../runner/run-record.ts';
import type { Run, TraceHeading } from '../runner/runner.ts';
import { type Failure, type Finding, isSameWay } from './finding-book.ts';
import { recordOf } from './packed-runs.ts';
import { pairTrails, trailOf } from './pair-trails.ts';
import type { PlainRuns } from './plain-runs.ts';
import { readSteps } from './read-steps.ts';
import { isOutcome, keyOf, type Schedule, type StepBook, takeOf, titleOf, wordsOf } from './schedule.ts';
import { type IsSought, shrink } from './shrink-schedule.ts';
import { requestName, type Step, storyMark } from './step.ts';
import { writeToken } from './token.ts';
import type { Trial, Trials } from './trials.ts';

/** How many smaller forms of a failing schedule are run at the same time, where so many stories go on at once. */
const ABREAST = 8;
/** A schedule that has failed is run so often again. */
const AGAIN = 2;

interface ConfirmOptions {
  book: StepBook;
  attempt(schedule: Schedule): Promise<Trial>;
  /** Runs of the schedule that are under way already. */
  ahead: readonly Promise<Trial>[];
  isSought: IsSought;
  /** A schedule that has passed is no smaller form. */
  hasPassed(schedule: Schedule): boolean;
  /** Stories at the same time. */
  jobs: number;
  /** Whether so many runs, one after the other, end in time. */
  hasTime(runs: number): boolean;
  /** Called when it has failed each time, before its smallest form is looked for. */
  onConfirmed(): Promise<void>;
}

/** What became of a schedule that failed once. */
interface Confirmed {
  /** Of how many runs, the first one among them: fewer than three where there was no time for more. */
  failed: number;
  of: number;
  /** The smallest form that still fails in the same way, and how it fails. */
  schedule: Schedule;
  failure: Failed;
}

/** A failing schedule is run so often in all. */
export const RUNS = 1 + AGAIN;

/** Runs a schedule that has failed twice more and, where it fails each time, looks for its smallest form. */
export async function confirmFailure(schedule: Schedule, first: Failed, options: ConfirmOptions): Promise<Confirmed> {
  const { book, attempt, ahead, isSought, hasPassed, jobs, hasTime, onConfirmed } = options;
  const failing = new Map([[keyOf(schedule), first]]);
  let isUnstable = false;
  const rounds = jobs > 1 ? 1 : AGAIN;
  const again = async (each: Schedule): Promise<Trial[]> => {
    if (!hasTime(rounds)) return [];
    if (jobs > 1) return Promise.all([attempt(each), attempt(each)]);
    return [await attempt(each), await attempt(each)];
  };
  const failureOf = ({ failures }: Trial) => failures.find((failure) => isSameWay(failure, first.failure));
  const fails = async (smaller: Schedule) => {
    if (isUnstable || hasPassed(smaller) || !hasTime(1 + rounds)) return false;
    const trial = await attempt(smaller);
    const failure = failureOf(trial);
    if (!failure) return false;
    // What fails now and then is no smaller form of what fails each time.
    const more = await again(smaller);
    if (more.length < AGAIN || !more.every(failureOf)) return false;
    failing.set(keyOf(smaller), { run: trial.run, failure });
    return true;
  };
  const look = () => shrink(schedule, { book, fails, isSought, abreast: Math.min(jobs, ABREAST) });
  // A story that waits in vain takes its time: all at once, where there is room.
  const together = jobs > ABREAST ? look() : undefined;
  // A failure reaches the caller through the promise, unless a run beside it has failed before.
  together?.catch(() => undefined);
  const confirmed = await (ahead.length > 0 ? Promise.all(ahead) : again(schedule));
  const of = 1 + confirmed.length;
  const failed = 1 + confirmed.filter(({ failures }) => failures.length > 0).length;
  isUnstable = failed < RUNS;
  if (!isUnstable) await onConfirmed();
  const best = (isUnstable ? undefined : await (together ?? look())) ?? schedule;
  await together;
  return { failed, of, schedule: best, failure: failing.get(keyOf(best)) ?? first };
}

/** A run that failed, and why. */
export interface Failed {
  run: Run;
  failure: Failure;
}

interface ReportParts {
  version: string;
  seed: number;
  plain: PlainRuns;
  trials: Trials;
}

/** A failing run as a finding: with its token, its trail, and the undisturbed run of the same outcome beside it. */
export async function reportFinding(
  schedule: Schedule,
  { run, failure }: Failed,
  { version, seed, plain, trials }: ReportParts,
): Promise<Finding> {
  const token = writeToken({ version, seed, story: storyMark(plain.registry?.plain ?? []), schedule });
  const { steps } = readSteps(run.record, plain.numbering);
  const units = unitsOf(run, schedule, steps);
  const own = ofTests(run, units);
  const trail = trailOf(own);
  const usual = await trials.usual(schedule.filter(isOutcome));
  const pairs = usual ? pairTrails(trail, trailOf(ofTests(usual, units))) : [];
  const drawn = { trail, pairs, drawing: drawRun(own, schedule, steps) };
  const { failedTests = [] } = run.record;
  const tests = failedTests.length === 0 ? {} : { tests: failedTests };
  const site = units.size === 0 ? undefined : own.record.units?.find((row) => units.has(unitKey(row)));
  const codes = run.record.findings.map(({ finding }) => finding);
  return {
    token,
    schedule,
    ...failure,
    seen: 1,
    output: run.output.slice(-2000),
    codes,
    ...tests,
    ...(site && { site: testOf(site) }),
    ...drawn,
  };
}

/** The tests that a failing run is about: those that failed, and those at whose steps its schedule is. */
function unitsOf({ record }: Run, schedule: Schedule, steps: readonly Step[]): ReadonlySet<string> {
  if (!steps.some(({ site }) => site)) return new Set();
  const failed = (record.units ?? []).filter(({ outcome }) => outcome === 'failed').map(unitKey);
  const sites = schedule.map(({ step }) => steps.find(({ name }) => name === step)?.site?.unit ?? []);
  return new Set([...failed, ...sites.flat()]);
}

/** A run as it was for some of its tests; the whole run where its tests are not reported. */
function ofTests(run: Run, units: ReadonlySet<string>): Run {
  const rows = units.size === 0 ? [] : (run.record.units ?? []).filter((row) => units.has(unitKey(row)));
  if (rows.length === 0) return run;
  return { ...run, record: { ...run.record, ...recordOf(run.record, rows, true) } };
}

/** What the trace of a finding says above its run, which opens where the first deviation was at work. */
export function traceHeading({ schedule, kind, message }: Finding, { numbering }: PlainRuns): TraceHeading {
  return {
    title: titleOf(schedule).slice(0, 500),
    failure: `${kind}: ${message}`.slice(0, 10_000),
    schedule: schedule.map((entry) => wordsOf(entry).slice(0, 1000)),
    openAt: (record) => firstDeviation(record, schedule, readSteps(record, numbering).steps),
  };
}

/** A message or a job, with the ids by which the schedule may mean it. */
interface Drawn {
  lane: LaneKind;
  track: string;
  label: string;
  id: string;
  bar: Omit<Bar, 'step'>;
}

/** Draws a run: what the client asked, what was made, what it cost, what was delivered. */
function drawRun(run: Run, schedule: Schedule, steps: readonly Step[]): RunDrawing {
  const { record } = run;
  const jobs = record.jobs.flatMap((job) => jobOf(job, run));
  const drawn = [
    ...record.requests.map(requestOf),
    ...jobs,
    ...moneyOf(run, jobs),
    ...record.deliveries.flatMap(deliveryOf),
  ];
  const began = Math.min(...drawn.map(({ bar }) => bar.from));
  const signs = signsOf(run, schedule, steps);
  const lanes = LANES.flatMap((kind) => {
    const own = drawn.filter(({ lane }) => lane === kind);
    const names = new Map(own.map(({ track, label }) => [track, label]));
    const tracks = [...names].map(([id, label]) => ({
      ...{ id, label },
      bars: own.filter(({ track }) => track === id).map((each) => signed(each, signs.get(each.id), began)),
    }));
    return tracks.length === 0 ? [] : [{ kind, tracks }];
  });
  return { lanes, scale: scaleOf(drawn.map(eventOf), began) };
}

function signed({ id, bar }: Drawn, sign: number | undefined, began: number): SignedBar {
  const to = bar.to === null ? null : bar.to - began;
  return { ...bar, step: id, from: bar.from - began, to, sign, tone: sign === undefined ? bar.tone : 'wait' };
}

function eventOf({ id, lane, track, label, bar }: Drawn): TimelineEvent {
  const step = { id, kind: 'read', at: bar.from, took: null, tone: bar.tone, text: bar.text, refs: [] } as const;
  return { step, track: { lane, id: track, label }, bars: [{ ...bar, step: id }] };
}

function requestOf(request: RequestRow): Drawn {
  const { id, method, path, status, received_at, duration_ms, cut } = request;
  const from = Date.parse(received_at);
  const isLost = status === 0 || cut === true;
  const name = path.startsWith('/cdn/') ? 'GET /cdn' : requestName(request);
  const words = (name.split(' ')[1] ?? '').split('/').filter((part) => part !== '' && part !== '{id}');
  return {
    ...{ lane: 'client', track: name, label: `${method} ${words.at(-1) ?? ''}`, id },
    bar: {
      ...{ from, to: from + duration_ms, look: 'call', tone: isLost || status >= 400 ? 'bad' : 'work' },
      ...{ text: `${method} ${lengthText(duration_ms)}`, note: isLost ? 'no answer' : String(status) },
    },
  };
}

/** From the answer to its order until its event, or the end of the run. */
function jobOf({ id, status, take }: JobRow, { record, ended }: Run): Drawn[] {
  const order = record.requests.find(({ job_ids: ids }) => ids.includes(id));
  if (!order) return [];
  const from = Date.parse(order.received_at);
  const heard = record.deliveries.find(({ subject, attempted_at: at }) => subject === id && at);
  const to = heard?.attempted_at ? Date.parse(heard.attempted_at) : Math.max(from + 1, lastOf(record.requests, ended));
  const tone: Bar['tone'] = status === 'failed' ? 'bad' : 'good';
  const label = take === undefined ? 'job' : `take ${take}`;
  const bar = { from, to: Math.max(from + 1, to), look: 'rendering', tone, text: status, note: '' } as const;
  return [{ lane: 'jobs', track: id, label, id, bar }];
}

function lastOf(requests: readonly RequestRow[], ended: number): number {
  const last = Math.max(...requests.map(({ received_at, duration_ms }) => Date.parse(received_at) + duration_ms));
  return Math.min(last, ended);
}

/** A charge is shown at the answer to its order, a refund at the end of its job. */
function moneyOf({ record }: Run, jobs: readonly Drawn[]): Drawn[] {
  const mark = { look: 'money', note: '' } as const;
  const charges = record.requests.flatMap(({ id, received_at, duration_ms, credits }): Drawn[] => {
    const at = Date.parse(received_at) + duration_ms;
    if (!credits) return [];
    const bar = { ...mark, from: at, to: at, tone: 'plain' as const, text: `−${credits}` };
    return [{ lane: 'money', track: 'money', label: '', id: `${id} paid`, bar }];
  });
  const refunds = record.ledger.flatMap(({ type, amount, job_id: job }): Drawn[] => {
    const at = jobs.find(({ id }) => id === job)?.bar.to;
    if (type !== 'refund' || at === undefined || at === null) return [];
    const bar = { ...mark, from: at, to: at, tone: 'good' as const, text: `+${amount} back` };
    return [{ lane: 'money', track: 'money', label: '', id: `${job} back`, bar }];
  });
  return [...charges, ...refunds];
}

function deliveryOf(delivery: DeliveryRow): Drawn[] {
  const { id, event_id, endpoint_id, type, fault, attempted_at, duration_ms, response_status, error } = delivery;
  if (attempted_at === null) return [];
  const from = Date.parse(attempted_at);
  const isTaken = response_status !== null && response_status >= 200 && response_status < 300;
  const came = String(response_status ?? error ?? 'no answer');
  return [
    {
      ...{ lane: 'deliveries', track: `${event_id} ${endpoint_id}`, label: type.split('.').at(-1) ?? type, id },
      bar: {
        ...{ from, to: from + (duration_ms ?? 0), look: 'delivery', tone: isTaken ? 'good' : 'bad' },
        ...{ text: lengthText(duration_ms ?? 0), note: fault ? `${fault}: ${came}` : came },
      },
    },
  ];
}

/** When the first entry of a schedule was at work in a run, by the machine's clock; undefined where none was. */
function firstDeviation(record: RunRecord, schedule: Schedule, steps: readonly Step[]): number | undefined {
  const signs = signsOf({ record }, schedule, steps);
  const bars = [...record.requests.map(requestOf), ...record.deliveries.flatMap(deliveryOf)];
  const times = bars.flatMap(({ id, bar }) => (signs.has(id) ? [bar.from] : []));
  const jobs = record.jobs.flatMap(({ id }) => (signs.has(id) ? orderOf(id, record) : []));
  const first = Math.min(...times, ...jobs.map(({ received_at }) => Date.parse(received_at)));
  return Number.isFinite(first) ? first : undefined;
}

function orderOf(job: string, { requests }: RunRecord): RequestRow[] {
  return requests.filter(({ job_ids: ids }) => ids.includes(job)).slice(0, 1);
}

/** The number of the entry that is at work in a message or a job, by its id. */
function signsOf({ record }: Pick<Run, 'record'>, schedule: Schedule, steps: readonly Step[]): Map<string, number> {
  const signs = schedule.map(({ step, deviation }, at): [string, number] => {
    const ref = steps.find(({ name }) => name === step)?.ref;
    const failing = steps.find(({ name }) => name === `${step} take ${takeOf(deviation)}`)?.ref;
    const event = record.deliveries.find(({ id }) => id === ref)?.event_id;
    // What a rule has added is what is unusual about it.
    const added = record.deliveries.find(
      ({ fault, event_id: own }) => fault === deviation && (step === 'endpoint' || own === event),
    );
    return [added?.id ?? failing ?? ref ?? '', at + 1];
  });
  return new Map(signs);
}
