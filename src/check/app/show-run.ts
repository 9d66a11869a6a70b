import { sideBySide } from '../../base/output/side-by-side.ts';
import type { RunDrawing, RunPair, SignedBar } from '../../control/orders/report-file.ts';
import { type Bar, LANES, type LaneKind } from '../../control/orders/timeline-event.ts';
import { lengthText, scaleOf } from '../../control/orders/timeline-scale.ts';
import { unitKey } from '../../engine/accounts/units.ts';
import { type DeliveryRow, type JobRow, type RequestRow, type RunRecord, testOf } from '../runner/run-record.ts';
import type { Run, TraceHeading } from '../runner/runner.ts';
import { partOf } from '../runner/unit-watch.ts';
import type { Failed, Finding, Trail } from './finding-book.ts';
import type { PlainRuns } from './plain-runs.ts';
import { readSteps } from './read-steps.ts';
import { isOutcome, type Schedule, takeOf, titleOf, wordsOf } from './schedule.ts';
import { requestName, type Step, storyMark } from './step.ts';
import { writeToken } from './token.ts';
import type { Trials } from './trials.ts';

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
  const statement = plain.statementOf(schedule, { run, failure });
  const token = writeToken({ version, seed, story: storyMark(plain.registry.plain), statement, schedule });
  const { steps } = readSteps(run.record, plain.numbering);
  const units = unitsOf(run, schedule, steps);
  const own = ofTests(run, units);
  const trail = trailOf(own);
  const usual = await trials.undisturbed(schedule.filter(isOutcome));
  const pairs = usual ? pairTrails(trail, trailOf(ofTests(usual, units))) : [];
  const { remedy, differences, ...why } = failure;
  const shown = { trail, pairs, drawing: drawRun(own, schedule, steps), remedy, differences };
  const { failedTests = [] } = run.record;
  const tests = failedTests.length === 0 ? {} : { tests: failedTests };
  const site = units.size === 0 ? undefined : own.record.units?.find((row) => units.has(unitKey(row)));
  return {
    token,
    schedule,
    statement,
    ...why,
    seen: 1,
    output: run.output.slice(-2000),
    ...tests,
    ...(site && { site: testOf(site) }),
    shown,
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
  return { ...run, record: { ...run.record, ...partOf(run.record, rows, true) } };
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

/** A message or a job as it is drawn; the step of its bar is the id by which a schedule may mean it. */
interface Drawn {
  lane: LaneKind;
  track: { id: string; label: string };
  bar: Bar;
}

/** Draws a run: what the client asked, what was made, what it cost, what was delivered. */
function drawRun(run: Run, schedule: Schedule, steps: readonly Step[]): RunDrawing {
  const { record } = run;
  const requests = record.requests.map(requestOf);
  const jobs = record.jobs.flatMap((job) => jobOf(job, run));
  const drawn = [...requests, ...jobs, ...moneyOf(record, jobs), ...record.deliveries.flatMap(deliveryOf)];
  const began = Math.min(...drawn.map(({ bar }) => bar.from));
  const signs = signsOf(run, schedule, steps);
  const signed = (bar: Bar): SignedBar => {
    const sign = signs.get(bar.step);
    const to = bar.to === null ? null : bar.to - began;
    return { ...bar, from: bar.from - began, to, sign, tone: sign === undefined ? bar.tone : 'wait' };
  };
  const lanes = LANES.flatMap((kind) => {
    const own = drawn.filter(({ lane }) => lane === kind);
    const labels = new Map(own.map(({ track }) => [track.id, track.label]));
    const tracks = [...labels].map(([id, label]) => {
      return { id, label, bars: own.filter(({ track }) => track.id === id).map(({ bar }) => signed(bar)) };
    });
    return tracks.length === 0 ? [] : [{ kind, tracks }];
  });
  return {
    lanes,
    scale: scaleOf(
      drawn.map(({ bar }) => ({ step: { at: bar.from }, bars: [bar] })),
      began,
    ),
  };
}

function requestOf({ id, method, path, status, received_at, duration_ms, cut }: RequestRow): Drawn {
  const from = Date.parse(received_at);
  const isLost = status === 0 || cut === true;
  const name = path.startsWith('/cdn/') ? 'GET /cdn' : requestName({ method, path });
  const words = (name.split(' ')[1] ?? '').split('/').filter((part) => part !== '' && part !== '{id}');
  const tone = isLost || status >= 400 ? 'bad' : 'work';
  const text = `${method} ${lengthText(duration_ms)}`;
  const note = isLost ? 'no answer' : String(status);
  return {
    lane: 'client',
    track: { id: name, label: `${method} ${words.at(-1) ?? ''}` },
    bar: { step: id, from, to: from + duration_ms, look: 'call', tone, text, note },
  };
}

/** From the answer to its order until its event, or the end of the run. */
function jobOf({ id, status, take }: JobRow, { record, ended }: Run): Drawn[] {
  const order = orderOf(id, record);
  if (!order) return [];
  const from = Date.parse(order.received_at);
  const heard = record.deliveries.find(({ subject, attempted_at: at }) => subject === id && at);
  const last = Math.max(...record.requests.map((each) => Date.parse(each.received_at) + each.duration_ms));
  const end = heard?.attempted_at ? Date.parse(heard.attempted_at) : Math.min(last, ended);
  const to = Math.max(from + 1, end);
  const tone = status === 'failed' ? 'bad' : 'good';
  const track = { id, label: take === undefined ? 'job' : `take ${take}` };
  return [{ lane: 'jobs', track, bar: { step: id, from, to, look: 'rendering', tone, text: status, note: '' } }];
}

/** A charge is shown at the answer to its order, a refund at the end of its job. */
function moneyOf({ requests, ledger }: RunRecord, jobs: readonly Drawn[]): Drawn[] {
  const money = (at: number, bar: Pick<Bar, 'step' | 'tone' | 'text'>): Drawn => {
    return {
      lane: 'money',
      track: { id: 'money', label: '' },
      bar: { ...bar, from: at, to: at, look: 'money', note: '' },
    };
  };
  const charges = requests.flatMap(({ id, received_at, duration_ms, credits }) => {
    if (!credits) return [];
    return money(Date.parse(received_at) + duration_ms, { step: `${id} paid`, tone: 'plain', text: `−${credits}` });
  });
  const refunds = ledger.flatMap(({ type, amount, job_id: job }) => {
    const at = jobs.find(({ bar }) => bar.step === job)?.bar.to;
    if (type !== 'refund' || at === undefined || at === null) return [];
    return money(at, { step: `${job} back`, tone: 'good', text: `+${amount} back` });
  });
  return [...charges, ...refunds];
}

function deliveryOf(delivery: DeliveryRow): Drawn[] {
  const { id, event_id, endpoint_id, type, fault, attempted_at, duration_ms, response_status, error } = delivery;
  if (attempted_at === null) return [];
  const from = Date.parse(attempted_at);
  const to = from + (duration_ms ?? 0);
  const isAccepted = response_status !== null && response_status >= 200 && response_status < 300;
  const came = String(response_status ?? error ?? 'no answer');
  const note = fault ? `${fault}: ${came}` : came;
  const tone = isAccepted ? 'good' : 'bad';
  const track = { id: `${event_id} ${endpoint_id}`, label: type.split('.').at(-1) ?? type };
  const text = lengthText(duration_ms ?? 0);
  return [{ lane: 'deliveries', track, bar: { step: id, from, to, look: 'delivery', tone, text, note } }];
}

/** When the first entry of a schedule was at work in a run, by the machine's clock; undefined where none was. */
function firstDeviation(record: RunRecord, schedule: Schedule, steps: readonly Step[]): number | undefined {
  const times = [...signsOf({ record }, schedule, steps).keys()].flatMap((id) => [
    record.requests.find((each) => each.id === id)?.received_at ?? [],
    record.deliveries.find((each) => each.id === id)?.attempted_at ?? [],
    (record.jobs.some((each) => each.id === id) && orderOf(id, record)?.received_at) || [],
  ]);
  const first = Math.min(...times.flat().map((time) => Date.parse(time)));
  return Number.isFinite(first) ? first : undefined;
}

function orderOf(job: string, { requests }: RunRecord): RequestRow | undefined {
  return requests.find(({ job_ids: ids }) => ids.includes(job));
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

/** Lines of a run that are compared; later ones add nothing. */
const MOST = 200;

/**
 * Two trails side by side: what both did in the same order is laid level, and so is what each did alone between two such
 * steps.
 */
export function pairTrails(failing: Trail, undisturbed: Trail): RunPair[] {
  const pairs: RunPair[] = [];
  let from = 0;
  for (const [did, should] of sideBySide(stepsOf(failing), stepsOf(undisturbed), (text) => text)) {
    const isBoth = did !== undefined && should !== undefined;
    const side = did === undefined ? 'should' : 'did';
    const free = isBoth ? undefined : pairs.slice(from).find((pair) => pair[side] === undefined);
    if (free) free[side] = did ?? should;
    else pairs.push({ did, should });
    if (isBoth) from = pairs.length;
  }
  return pairs;
}

/** What each did without its time, which is never the same; of reads that repeat one is enough. */
function stepsOf(trail: Trail): string[] {
  return withoutRepeats(trail)
    .slice(0, MOST)
    .map(({ text }) => text);
}

export function trailOf({ record, began }: Pick<Run, 'record' | 'began'>): Trail {
  const since = (time: string | null) => (time === null ? Number.POSITIVE_INFINITY : Date.parse(time) - began);
  const requests = record.requests.map(({ received_at, method, path, status, credits, cut, retry_count }) => ({
    at: since(received_at),
    text: `${requestName({ method, path })} -> ${answerText(status, cut)}${credits ? `, ${credits} credits` : ''}${retry_count ? `, retry ${retry_count}` : ''}`,
  }));
  const deliveries = record.deliveries.map(({ attempted_at, type, fault, response_status, error }) => ({
    at: since(attempted_at),
    text: `delivery ${type}${fault ? ` (${fault})` : ''} -> ${response_status ?? error ?? 'never sent'}`,
  }));
  return [...requests, ...deliveries].sort((a, b) => a.at - b.at);
}

/** Of what repeats one line is enough. */
export function withoutRepeats(trail: Trail): Trail {
  return trail.filter(({ text }, n) => text !== trail[n - 1]?.text);
}

/** A line each, with its time. */
export function trailLines(trail: Trail): string[] {
  return trail.map(({ at: time, text }) =>
    Number.isFinite(time) ? `${String(Math.max(0, Math.round(time))).padStart(6)} ms  ${text}` : `       -   ${text}`,
  );
}

function answerText(status: number, cut: boolean | undefined): string {
  if (status === 0) return 'connection reset';
  return cut ? `${status}, but the connection was over before the answer was` : String(status);
}
