import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { VirtualClock } from '../../base/clock/virtual-clock.ts';
import { readPlainFile } from '../../base/config/plain-file.ts';
import { serviceAddress } from '../../base/config/real-target.ts';
import { Random } from '../../base/random.ts';
import { affordable, printPlan } from '../../check/service/budget.ts';
import { usedBy } from '../../check/service/compare.ts';
import {
  type DriftReport,
  endedDriftReport,
  makeDriftReport,
  type ReportParts,
} from '../../check/service/drift-report.ts';
import { measureHere, replayHere } from '../../check/service/fresh-emulator.ts';
import { Measurement } from '../../check/service/measure.ts';
import { PAID } from '../../check/service/plan.ts';
import { readCalls } from '../../check/service/recorded-calls.ts';
import { readShapes, shapesText, staleness } from '../../check/service/shapes.ts';
import { spellsKey, withoutKey } from '../../control/openapi/known-words.ts';
import { readRecordedRun } from '../../control/recorded-run.ts';
import { workToEnd } from '../child-command.ts';
import { CommandEnd, EXIT } from '../process-end.ts';
import { keepOutput, requireOutput, requireWritable } from '../report-files.ts';
import { RunProgress, say, sayAside } from '../terminal-output.ts';

/** How long a request may take to the end of its answer, in milliseconds. */
const LONGEST_ANSWER = 60_000;

/** Carries out `svc-emulator drift`: whatever ends it, its reports say so. */
export async function runDrift(flags: DriftFlags): Promise<void> {
  if (flags.plan) {
    say(printPlan(flags.budget ?? 0));
    return;
  }
  requireOneSource(flags);
  requireWritable('drift', flags.report);
  if (flags.shapes !== undefined) requireOutput('--shapes', flags.shapes);
  await compare(flags, await sourceOf(flags));
}

/** What the emulator is compared with. */
interface Source extends Pick<ReportParts, 'against' | 'isRecorded'> {
  measure(signal: AbortSignal, progress: RunProgress): Promise<Pick<ReportParts, 'there' | 'here'>>;
}

function sourceOf(flags: DriftFlags): Source | Promise<Source> {
  if (flags.check !== undefined) return shapesSource(flags.check);
  return flags.from === undefined ? serviceSource(flags) : recordedSource(flags.from);
}

async function serviceSource(flags: DriftFlags): Promise<Source> {
  const { budget = 0, pace = 1 } = flags;
  const against = explained('--against ', () => serviceAddress(flags.against ?? ''), '.');
  const key = requireKey(flags);
  if (spellsKey(against, key)) throw wrongUse('--against has the API key in it; leave it out.');
  await requireConsent(against, budget);
  const name = `svc-emulator-drift-${new Random().scratchName().slice(0, 8)}`;
  const clock = new VirtualClock();
  const measure: Source['measure'] = async (signal, progress) => {
    const target = { url: against, key, clock, paceMs: pace * 1000, timeoutMs: LONGEST_ANSWER, signal };
    const onProgress = (done: number, planned: number) =>
      progress.show(done / Math.max(1, planned), `${done} of ${planned} cases`);
    // From here on nothing spells the key, whatever the service has answered.
    const there = withoutKey(await new Measurement(target, { budget, name, onProgress }).measure(), key);
    for (const note of there.notes) sayAside(`svc-emulator: ${note}\n`);
    if (flags.shapes !== undefined)
      keepOutput('--shapes', flags.shapes, shapesText(there, against, clock.real()), EXIT.wrongUse);
    signal.throwIfAborted();
    return { there, here: await measureHere(there.cases, { name, signal }) };
  };
  return { against, measure };
}

/** What was measured before. */
function shapesSource(file: string): Source {
  const text = requireFile('--check', file);
  const shapes = explained(`--check is ${file}: `, () => readShapes(text), '.');
  const { against, cases } = shapes;
  const stale = staleness(shapes, new VirtualClock().real());
  if (stale !== undefined) sayAside(`svc-emulator: ${stale}\n`);
  const there = { ...NOTHING_SENT, cases, planned: cases.length };
  return {
    against,
    measure: async (signal) => ({
      there,
      here: await measureHere(cases, { name: 'svc-emulator-drift-check', signal }),
    }),
  };
}

const NOTHING_SENT = { requests: 0, credits: 0, balanceBefore: null, balanceAfter: null, seconds: 0, notes: [] };

/** What was recorded. */
function recordedSource(file: string): Source {
  const text = requireFile('--from', file);
  const calls = explained(`--from is ${file}: `, () => readCalls(file, text), '.');
  const measure: Source['measure'] = async (signal) => {
    const replayed = await replayHere(calls, signal);
    const there = { ...NOTHING_SENT, cases: replayed.map(({ there: each }) => each), planned: calls.length };
    return { there, here: new Map(replayed.map(({ here }) => [here.id, here])) };
  };
  return { against: path.basename(file), isRecorded: true, measure };
}

async function compare(flags: DriftFlags, { against, isRecorded = false, measure }: Source): Promise<void> {
  const { strict: isStrict = false, report: files, used } = flags;
  const isUsed = used === undefined ? undefined : usedBy(explained('--used: ', () => readRecordedRun(used)));
  let made: DriftReport | undefined;
  const open = async (signal: AbortSignal) => ({
    signal,
    progress: new RunProgress('measuring'),
    close: async () => undefined,
  });
  const { end } = await workToEnd({ use: 'drift', secondEnds: true }, open, async ({ signal, progress }) => {
    const sides = await measure(signal, progress);
    signal.throwIfAborted();
    made = makeDriftReport({ against, ...sides, isStrict, isRecorded, isUsed });
  });
  const error = { exit_code: end?.exitCode ?? EXIT.innerFault, message: end?.message || 'It was ended by a signal.' };
  const report = end || !made ? endedDriftReport(against, error) : made;
  const { printableDrift } = await import('../../check/service/print-drift.ts');
  const { showReport } = await import('./show-report.ts');
  await showReport({
    report,
    files,
    print: (masked) => printableDrift(masked, isStrict),
    text: report.results.length > 0 ? undefined : '',
  });
  if (end) throw end;
  if (report.exit !== EXIT.success) throw new CommandEnd(report.exit);
}

/** What the command was given. */
export interface DriftFlags {
  against?: string;
  keyEnv?: string;
  keyFile?: string;
  budget?: number;
  plan?: boolean;
  pace?: number;
  strict?: boolean;
  shapes?: string;
  check?: string;
  from?: string;
  used?: string;
  report?: string[];
}

/** Throws `CommandEnd` unless there is one thing to compare with, and what belongs to another is left out. */
function requireOneSource({ against, check, from, keyEnv, keyFile, budget, shapes }: DriftFlags): void {
  if ([against, check, from].filter((each) => each !== undefined).length !== 1) {
    throw wrongUse('Give what to compare with, one of --against URL, --check FILE and --from FILE.');
  }
  if (against !== undefined) return;
  if (keyEnv !== undefined || keyFile !== undefined || budget !== undefined || shapes !== undefined) {
    throw wrongUse('--key-env, --key-file, --budget and --shapes are for --against URL.');
  }
}

/** The key, which is never on the command line. */
function requireKey({ keyEnv, keyFile }: DriftFlags): string {
  if ((keyEnv === undefined) === (keyFile === undefined)) {
    throw wrongUse('Give the API key by --key-env NAME or by --key-file FILE, one of them.');
  }
  const key = keyEnv === undefined ? requireFile('--key-file', keyFile ?? '').trim() : (process.env[keyEnv] ?? '');
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  const where = keyEnv === undefined ? `the file ${keyFile}` : `the variable ${keyEnv}`;
  throw wrongUse(`There is no API key in ${where}; expected one line of printable characters.`);
}

/** The text of a file that a flag names. */
function requireFile(flag: string, file: string): string {
  return explained(`${flag} is ${file}, which cannot be read: `, () => readPlainFile(file));
}

/** What `read` answers. Throws `CommandEnd` (2), with the reason behind these words, where the user's file is at fault. */
function explained<Read>(words: string, read: () => Read, end = ''): Read {
  try {
    return read();
  } catch (error) {
    // Others are faults of this program.
    if (error instanceof TypeError || error instanceof RangeError) throw error;
    throw wrongUse(`${words}${(error as Error).message}${end}`);
  }
}

function wrongUse(message: string): CommandEnd {
  return new CommandEnd(EXIT.wrongUse, message);
}

/** A terminal is asked before a credit is spent; without one `--budget` is the consent. */
async function requireConsent(url: string, budget: number): Promise<void> {
  const { sum } = affordable(PAID, [], budget);
  if (sum === 0 || !process.stdin.isTTY || !process.stderr.isTTY) return;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const question = `About ${sum} credits, at most ${budget}, of ${url} will be spent. Go on? [y/N] `;
  // It is closed instead by Ctrl-D and Ctrl-C.
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  const answer = await Promise.race([terminal.question(question).catch(() => ''), closed]);
  terminal.close();
  if (!/^y(?:es)?$/i.test(answer.trim())) throw wrongUse('Nothing was sent.');
}
