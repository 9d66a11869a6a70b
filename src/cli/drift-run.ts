import path from 'node:path';
import { VirtualClock } from '../base/clock/clock.ts';
import { Random } from '../base/random.ts';
import { printPlan } from '../check/service/budget.ts';
import { type DriftReport, endedDriftReport, type IsUsed, makeDriftReport } from '../check/service/drift-report.ts';
import { type Fresh, measureHere, replayHere } from '../check/service/fresh-emulator.ts';
import { withoutKey } from '../check/service/key-guard.ts';
import { type Measured, Measurement } from '../check/service/measure.ts';
import { BrokenRecording, type RecordedCall, readCalls } from '../check/service/recorded-calls.ts';
import { type CaseShape, shapesText, staleness } from '../check/service/shapes.ts';
import { usedBy } from '../check/service/used-by.ts';
import { NoRecordedRun, readRecordedRun } from '../control/trace/recorded-run.ts';
import { holdSignals } from './child-command.ts';
import {
  type DriftFlags,
  requireAddress,
  requireConsent,
  requireFile,
  requireKey,
  requireKeyless,
  requireOneSource,
  requireShapes,
} from './drift-flags.ts';
import { DRIFT_REPORTS, DriftProgress, writeDriftReports } from './drift-output.ts';
import { CommandEnd, EXIT } from './process-end.ts';
import { keepOutput, requireOutput, requireWritable } from './report-files.ts';
import { say, sayAside } from './terminal-output.ts';
import { workToEnd } from './work-to-end.ts';

/** How long a request may take to the end of its answer, in milliseconds. */
const LONGEST_ANSWER = 60_000;

/** Carries out `svc-emulator drift`: whatever ends it, its reports say so. */
export async function runDrift(flags: DriftFlags): Promise<void> {
  if (flags.plan) {
    say(printPlan(flags.budget ?? 0));
    return;
  }
  requireOneSource(flags);
  requireWritable('drift', flags.report ?? [], DRIFT_REPORTS);
  if (flags.shapes !== undefined) requireOutput('--shapes', flags.shapes);
  await compare(flags, await sourceOf(flags));
}

/** Both sides of a comparison. */
interface Sides {
  there: Measured;
  here: ReadonlyMap<string, CaseShape>;
}

/** What the emulator is compared with. */
interface Source {
  against: string;
  isRecorded?: boolean;
  measure(signal: AbortSignal, progress: DriftProgress): Promise<Sides>;
}

function sourceOf(flags: DriftFlags): Source | Promise<Source> {
  if (flags.check !== undefined) return shapesSource(flags.check);
  return flags.from === undefined ? serviceSource(flags) : recordedSource(flags.from);
}

async function serviceSource(flags: DriftFlags): Promise<Source> {
  const { budget = 0, pace = 1 } = flags;
  const against = requireAddress(flags.against);
  const key = requireKey(flags);
  requireKeyless(against, key);
  await requireConsent(against, budget);
  const name = `svc-emulator-drift-${new Random().scratchName().slice(0, 8)}`;
  const clock = new VirtualClock();
  const measure: Source['measure'] = async (signal, progress) => {
    const target = { url: against, key, clock, paceMs: pace * 1000, timeoutMs: LONGEST_ANSWER, signal };
    const onProgress = (done: number, planned: number) => progress.show(done, planned);
    // From here on nothing spells the key, whatever the service has answered.
    const there = withoutKey(await new Measurement(target, { budget, name, onProgress }).measure(), key);
    for (const note of there.notes) sayAside(`svc-emulator: ${note}\n`);
    if (flags.shapes !== undefined)
      keepOutput('--shapes', flags.shapes, shapesText(there, against, clock.real()), EXIT.wrongUse);
    signal.throwIfAborted();
    return { there, here: await measureHere(there.cases, await freshOf({ clock, name, signal })) };
  };
  return { against, measure };
}

/** How the emulator of today is asked. Loaded when it is: a plan needs none. */
async function freshOf(asked: Pick<Fresh, 'name' | 'signal'> & { clock?: VirtualClock }): Promise<Fresh> {
  const { startEmulator: start } = await import('../emulator.ts');
  const { WELL_KNOWN_KEY: key } = await import('../engine/accounts/seed.ts');
  return { clock: new VirtualClock(), ...asked, start, key };
}

/** What was measured before. */
function shapesSource(file: string): Source {
  const shapes = requireShapes(file);
  const { against, cases } = shapes;
  const stale = staleness(shapes, new VirtualClock().real());
  if (stale !== undefined) sayAside(`svc-emulator: ${stale}\n`);
  const there = { ...NOTHING_SENT, cases, planned: cases.length };
  const measure: Source['measure'] = async (signal) => {
    const here = await measureHere(cases, await freshOf({ name: 'svc-emulator-drift-check', signal }));
    return { there, here };
  };
  return { against, measure };
}

const NOTHING_SENT = { requests: 0, credits: 0, balanceBefore: null, balanceAfter: null, seconds: 0, notes: [] };

/** What somebody has recorded. */
function recordedSource(file: string): Source {
  const calls = requireCalls(file);
  const measure: Source['measure'] = async (signal) => {
    const replayed = await replayHere(calls, await freshOf({ name: 'svc-emulator-drift-from', signal }));
    const there = { ...NOTHING_SENT, cases: replayed.map(({ there: each }) => each), planned: calls.length };
    return { there, here: new Map(replayed.map(({ here }) => [here.id, here])) };
  };
  return { against: path.basename(file), isRecorded: true, measure };
}

function requireCalls(file: string): RecordedCall[] {
  const text = requireFile('--from', file);
  try {
    return readCalls(file, text);
  } catch (error) {
    if (!(error instanceof BrokenRecording) && !(error instanceof NoRecordedRun)) throw error;
    throw new CommandEnd(EXIT.wrongUse, `--from is ${file}: ${error.message}.`);
  }
}

async function compare(flags: DriftFlags, { against, isRecorded = false, measure }: Source): Promise<void> {
  const { strict: isStrict = false, report: files = [], used } = flags;
  const isUsed = used === undefined ? undefined : requireUsed(used);
  const signals = holdSignals({ secondEnds: true });
  const stop = new AbortController();
  const progress = new DriftProgress();
  const signal = AbortSignal.any([signals.heard, stop.signal]);
  let made: DriftReport | undefined;
  const work = async () => {
    const sides = await measure(signal, progress);
    signal.throwIfAborted();
    made = makeDriftReport({ against, ...sides, isStrict, isRecorded, ...(isUsed && { isUsed }) });
  };
  const end = await workToEnd(work, { use: 'drift', signals, stop, progress, close: async () => undefined });
  const error = { exit_code: end?.exitCode ?? EXIT.innerFault, message: end?.message || 'It was ended by a signal.' };
  const report = end || !made ? endedDriftReport(against, error) : made;
  if (report.results.length > 0) {
    const { printDrift } = await import('../check/service/print-drift.ts');
    say(printDrift(report));
  }
  await writeDriftReports(files, report, isStrict);
  if (end) throw end;
  if (report.exit !== EXIT.success) throw new CommandEnd(report.exit);
}

function requireUsed(file: string): IsUsed {
  try {
    return usedBy(readRecordedRun(file));
  } catch (error) {
    if (error instanceof NoRecordedRun) throw new CommandEnd(EXIT.wrongUse, `--used: ${error.message}`);
    throw error;
  }
}
