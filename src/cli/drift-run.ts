import { VirtualClock } from '../clock/virtual-clock.ts';
import { readPlainFile } from '../config/plain-file.ts';
import { type DriftReport, endedDriftReport, makeDriftReport } from '../drift/drift-report.ts';
import { type Measured, Measurement } from '../drift/measure.ts';
import { printPlan } from '../drift/print-plan.ts';
import { isAllowed } from '../drift/send-request.ts';
import { Random } from '../random.ts';
import { holdSignals } from './child-command.ts';
import { measureHere } from './drift-emulator.ts';
import { DRIFT_REPORTS, DriftProgress, writeDriftReports } from './drift-output.ts';
import { CommandEnd, EXIT } from './process-end.ts';
import { requireWritable } from './report-files.ts';
import { workToEnd } from './work-to-end.ts';

/** What the command was given. */
export interface DriftFlags {
  against?: string;
  keyEnv?: string;
  keyFile?: string;
  budget?: number;
  plan?: boolean;
  pace?: number;
  strict?: boolean;
  used?: string;
  shapes?: string;
  check?: string;
  from?: string;
  report?: string[];
}

/** How long an answer may take, in milliseconds: no request stays open for a minute. */
const LONGEST_ANSWER = 60_000;

/** Carries out `svc-emulator drift`: whatever ends it, its reports say so. */
export async function runDrift(flags: DriftFlags): Promise<void> {
  const { report: files = [], budget = 0 } = flags;
  requireWritable(files, DRIFT_REPORTS);
  if (flags.plan) {
    process.stdout.write(printPlan(budget));
    return;
  }
  await measureService(flags);
}

async function measureService(flags: DriftFlags): Promise<void> {
  const { against, budget = 0, pace = 1, strict = false, report: files = [] } = flags;
  const url = requireAddress(against);
  const key = requireKey(flags);
  const signals = holdSignals();
  const stop = new AbortController();
  const clock = new VirtualClock();
  const progress = new DriftProgress();
  const target = {
    ...{ url, key, clock, paceMs: pace * 1000, timeoutMs: LONGEST_ANSWER },
    signal: AbortSignal.any([signals.heard, stop.signal]),
  };
  const name = `svc-emulator-drift-${new Random().scratchName().slice(0, 8)}`;
  const measurement = new Measurement(target, { budget, name, onProgress: (done, of) => progress.show(done, of) });
  let there: Measured | undefined;
  let made: DriftReport | undefined;
  const work = async () => {
    there = await measurement.measure();
    const here = await measureHere(there.cases, { clock, name, signal: target.signal });
    made = makeDriftReport({ against: url, there, here, isStrict: strict });
  };
  const end = await workToEnd(work, { use: 'drift', signals, stop, progress, close: async () => undefined });
  for (const note of there?.notes ?? []) process.stderr.write(`svc-emulator: ${note}\n`);
  await conclude(made ?? endedDriftReport(url, errorOf(end)), { end, files, isStrict: strict });
}

function errorOf(end: CommandEnd | undefined): { exit_code: number; message: string } {
  return { exit_code: end?.exitCode ?? EXIT.innerFault, message: end?.message || 'It was ended before its end.' };
}

interface Conclusion {
  end: CommandEnd | undefined;
  files: readonly string[];
  isStrict: boolean;
}

async function conclude(report: DriftReport, { end, files, isStrict }: Conclusion): Promise<void> {
  const { printDrift } = await import('../drift/print-drift.ts');
  if (report.results.length > 0) process.stdout.write(printDrift(report));
  await writeDriftReports(files, report, isStrict);
  if (end) throw end;
  if (report.exit !== EXIT.success) throw new CommandEnd(report.exit);
}

/** The base of all paths, without a slash at its end, and without the `/v1` that clients are given. */
function requireAddress(against: string | undefined): string {
  if (against === undefined) {
    throw new CommandEnd(
      EXIT.wrongUse,
      'There is nothing to compare with: give --against URL, --check FILE or --from FILE.',
    );
  }
  if (!isAllowed(against)) {
    throw new CommandEnd(
      EXIT.wrongUse,
      `--against is ${shown(against)}; expected an https URL, or one of this machine.`,
    );
  }
  const { origin, pathname, username, password, search } = new URL(against);
  if (username !== '' || password !== '' || search !== '') {
    throw new CommandEnd(EXIT.wrongUse, '--against has a user or a query; give the key by --key-env or --key-file.');
  }
  return `${origin}${pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}`;
}

/** Without what may be secret in it. */
function shown(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : 'no URL';
}

function requireKey({ keyEnv, keyFile }: DriftFlags): string {
  if ((keyEnv === undefined) === (keyFile === undefined)) {
    throw new CommandEnd(EXIT.wrongUse, 'Give the API key by --key-env NAME or by --key-file FILE, one of them.');
  }
  const key = keyEnv === undefined ? readPlainFile(keyFile ?? '').trim() : (process.env[keyEnv] ?? '');
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  const where = keyEnv === undefined ? `the file ${keyFile}` : `the variable ${keyEnv}`;
  throw new CommandEnd(EXIT.wrongUse, `There is no API key in ${where}; expected one line of printable characters.`);
}
