import { availableParallelism } from 'node:os';
import { VirtualClock } from '../../base/clock/virtual-clock.ts';
import type { ConfigOptions } from '../../base/config/config.ts';
import { VERSION } from '../../base/package/package-folder.ts';
import { counted } from '../../base/text.ts';
import { mergeMutateReports } from '../../check/merge-reports.ts';
import { readBaseline } from '../../check/read-baseline.ts';
import { type BaselineFile, baselineFile, EMPTY_BASELINE, makeBaseline } from '../../check/tests/baseline.ts';
import { breaksGate, brokenGates, type Gates, readMin, shortfallOf, wasTriedBy } from '../../check/tests/gates.ts';
import { type MeasureProgress, suiteOf } from '../../check/tests/measured-run.ts';
import { Measurement } from '../../check/tests/measurement.ts';
import { type MutateReport, mutateReport } from '../../check/tests/mutate-report.ts';
import { type MutateOptions, type MutateSettings, readMutateSettings } from '../../check/tests/mutate-settings.ts';
import { printableMutate } from '../../check/tests/print-mutate.ts';
import { workToEnd } from '../child-command.ts';
import { CommandEnd, EXIT } from '../process-end.ts';
import { asJson, keepOutput, readReports, requireOutput, requireWritable } from '../report-files.ts';
import { RunProgress } from '../terminal-output.ts';
import {
  type AppTexts,
  givesPort,
  openRunner,
  requireOutside,
  sharesPort,
  warnUser,
  writeTrace,
} from './explore-world.ts';
import { ReportMask, showReport } from './show-report.ts';

/** What a report is held to, and where it is written. */
export interface GateFlags {
  min?: string[];
  maxBrittle?: number;
  baseline?: string;
  updateBaseline?: boolean;
  report?: string[];
}

type MutateFlags = MutateOptions & ConfigOptions & AppTexts & GateFlags & { trace?: string };

/** Carries out `svc-emulator mutate`: whatever ends it, its reports say so. */
export async function runMutate(words: string[], flags: MutateFlags): Promise<void> {
  requireOutside('mutate');
  const { report: files, trace } = flags;
  requireWritable('mutate', files);
  if (trace !== undefined && flags.lie === undefined) {
    throw new CommandEnd(EXIT.wrongUse, '--trace is for one lie: give it with --lie NAME.');
  }
  if (trace !== undefined) requireOutput('--trace', trace);
  if (flags.updateBaseline && flags.baseline !== undefined) requireOutput('--baseline', flags.baseline);
  const settings = readMutateSettings(flags);
  const gates = readGates(flags);
  const { baseline } = gates;
  const open = async (signal: AbortSignal) => {
    const progress = new RunProgress('mutating', settings.budgetMs);
    const show = (done: MeasureProgress) => showProgress(progress, done);
    return { progress, ...(await openMeasurement(words, flags, { settings, baseline, signal, progress: show })) };
  };
  const { opened, end } = await workToEnd({ use: 'mutate' }, open, ({ measurement: each }) => each.measure());
  const { measurement } = opened;
  const report = endedReport(measurement, end, settings);
  const isWhole = measurement.isWhole && end === undefined;
  if (trace !== undefined) writeTrace(trace, measurement.run?.trace, 'the lie was not tried');
  await conclude(report, { ...gates, isWhole }, { flags, measurement, end, isShard: settings.shard.of > 1 });
}

interface MeasurementParts {
  settings: MutateSettings;
  baseline: BaselineFile | undefined;
  signal: AbortSignal;
  progress?: (done: MeasureProgress) => void;
}

/** A measurement of a command, with what closes it. */
export async function openMeasurement(
  words: readonly string[],
  flags: ConfigOptions & AppTexts,
  { settings, baseline, signal, progress }: MeasurementParts,
): Promise<{ measurement: Measurement; close(): Promise<void> }> {
  const clock = new VirtualClock();
  const jobs = sharesPort(words, flags) ? 1 : (settings.jobs ?? availableParallelism());
  const env = { CI: '1', ...process.env };
  const { seed, mask } = settings;
  const runner = await openRunner(words, flags, { use: 'mutate', env, jobs, seed, clock, signal });
  const command = words.join(' ');
  const run = suiteOf({ runner, clock, whole: command, mask, folder: process.cwd() });
  const measurement = new Measurement({
    run,
    clock,
    settings,
    named: { version: VERSION, command },
    known: { baseline },
    signal,
    progress,
    jobsFor: (reportsUnits) => (reportsUnits || givesPort(words, flags) ? jobs : 1),
  });
  return { measurement, close: () => runner.close() };
}

function endedReport(measurement: Measurement, end: CommandEnd | undefined, settings: MutateSettings): MutateReport {
  const report = measurement.report();
  if (end) return withEnd(report, { exit_code: end.exitCode, message: end.message });
  const shortfall = shortfallOf(report, settings);
  if (shortfall) return withEnd(report, shortfall);
  const unpacked = (measurement.run?.unpacked ?? []).filter((file) => file !== '');
  if (unpacked.length > 0)
    warnUser(`Tests of these files disturb each other and were run alone: ${unpacked.join(', ')}.`);
  return report;
}

function withEnd(report: MutateReport, error: { exit_code: number; message: string }): MutateReport {
  return { ...report, exit: error.exit_code, ...(error.message === '' ? {} : { error }) };
}

/** Throws `RunFault` for a gate or a baseline that cannot be read. */
function readGates({
  min = [],
  maxBrittle,
  baseline: file,
  updateBaseline = false,
}: GateFlags): Omit<Gates, 'isWhole'> {
  const today = new Date(new VirtualClock().real()).toISOString().slice(0, 10);
  const gates = { min: readMin(min), maxBrittle, today };
  if (file === undefined) {
    if (!updateBaseline) return { ...gates, baseline: undefined };
    throw new CommandEnd(EXIT.wrongUse, '--update-baseline is for --baseline FILE: give the file.');
  }
  const found = readBaseline(file, baselineFile, updateBaseline);
  return { ...gates, baseline: found ?? { ...EMPTY_BASELINE, version: VERSION } };
}

interface Conclusion {
  flags: MutateFlags | GateFlags;
  /** Undefined where the report is of others. */
  measurement: Measurement | undefined;
  end: CommandEnd | undefined;
  isShard: boolean;
}

/** Judges a report by the gates, prints it, writes it, and ends as it says. */
async function conclude(
  measured: MutateReport,
  gates: Gates,
  { flags, measurement, end, isShard }: Conclusion,
): Promise<void> {
  const isJudged = measured.exit === 0 && !isShard && flags.updateBaseline !== true;
  const broken = isJudged ? brokenGates(measured, gates) : [];
  const report = broken.length === 0 ? measured : { ...measured, exit: EXIT.failure };
  await showReport({
    report,
    files: flags.report,
    print: (masked, isWhole) =>
      printableMutate(masked, {
        breaks: breaksGate(gates),
        notes: broken,
        shown: isWhole ? measurement : undefined,
      }),
    text: report.units.length > 0 ? undefined : '',
  });
  const { baseline: before } = gates;
  if (flags.updateBaseline && flags.baseline !== undefined && before && measured.exit === 0) {
    const hasTried = measurement?.hasTried.bind(measurement) ?? wasTriedBy(report);
    keepOutput('--baseline', flags.baseline, asJson(makeBaseline(report, { before, hasTried })));
  }
  const mask = new ReportMask();
  if (end) throw new CommandEnd(end.exitCode, mask.text(end.message));
  if (report.exit !== 0)
    throw new CommandEnd(report.exit, broken.length > 0 ? '' : mask.text(report.error?.message ?? ''));
}

/** Merges the JSON reports of all shards, and judges them by the gates. */
export async function judgeMerged(files: readonly string[], flags: GateFlags): Promise<void> {
  requireWritable('mutate', flags.report);
  const reports = readReports('mutate', files, (json) => mutateReport.safeParse(json).data);
  const sum = mergeMutateReports(reports);
  const shortfall = sum.exit === 0 ? shortfallOf(sum) : undefined;
  const merged = shortfall ? withEnd(sum, shortfall) : sum;
  const isWhole = merged.unreached.every(({ why }) => why !== 'left (budget)');
  const gates = { ...readGates(flags), isWhole };
  await conclude(merged, gates, { flags, measurement: undefined, end: undefined, isShard: false });
}

const PHASES = { baseline: 'baseline runs', control: 'with the service dead', lies: '', liberties: 'liberties' };

function showProgress(progress: RunProgress, { phase, runs, done, planned, elapsedMs }: MeasureProgress): void {
  const lies = `${done} of ${counted(planned, 'lie')}, ${counted(runs, 'run')}`;
  progress.show(phase === 'lies' ? done / Math.max(1, planned) : 0, PHASES[phase] || lies, { elapsedMs, phase });
}
