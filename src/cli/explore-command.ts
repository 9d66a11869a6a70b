import { existsSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { type ConfigOptions, optionNames } from '../config/config.ts';
import { type ExploreReport, makeReport } from '../explore/explore-report.ts';
import { type ExploreOptions, readSettings } from '../explore/explore-settings.ts';
import { printFinding, printSummary, printTests } from '../explore/print-finding.ts';
import { printExploreJunit } from '../explore/print-junit.ts';
import type { Shown } from '../explore/print-page.ts';
import { SavedFindings } from '../explore/saved-findings.ts';
import { type SearchOptions, SearchRun } from '../explore/search-run.ts';
import { readToken } from '../explore/token.ts';
import { VERSION } from '../package/version.ts';
import { RememberedRenders } from '../render/remembered-renders.ts';
import { exitCodeOf, holdSignals } from './child-command.ts';
import { CommandEnd } from './command-end.ts';
import { EXIT } from './command-failure.ts';
import { addFlags, gathered } from './config-flags.ts';
import { ExploreProgress } from './explore-progress.ts';
import { type AppTexts, openRunner, SETTLED, sharesPort, USUAL, warnUser } from './explore-world.ts';
import { givenAgain } from './given-again.ts';
import { mergeCommand } from './merge-command.ts';

/** What a replay has in its token, or does not need. */
const OF_SEARCH = [
  ...['bound', 'budget', 'schedules', 'stopAfter', 'only', 'skip', 'beyondContract', 'seed', 'jobs', 'shard', 'replay'],
  ...['saved', 'report', 'controlToken'],
];

const NOTES = `
Each run of the command has an emulator of its own, and sees what exec gives, SVC_EXPLORE=1, PORT (a free one; {port} in a
text is replaced by it) and SVC_EXPLORE_DIR (an empty folder). Exit code 0: nothing found; 1: findings; 2: wrong use, or a
story that fails by itself; 127: no such command. docs/explore.md tells more.`;

type ExploreFlags = ExploreOptions &
  ConfigOptions &
  AppTexts & {
    report?: string[];
    saved: boolean;
    beyondContract?: boolean;
  };

/** `svc-emulator explore -- COMMAND`: runs a story again and again, each time with the service behaving otherwise. */
export function exploreCommand(): Command {
  const command = new Command('explore')
    .usage('[options] -- command [arguments]')
    .description('find the bugs of an integration: run its story under everything that the service may do')
    .argument('<command...>', 'the story: a command that passes')
    .option('--start <command>', 'an app that runs beside the story, and is killed and started again')
    .option('--ready <url>', 'the address that answers 2xx when the app is ready')
    .option('--probe <command>', "prints the app's own state as JSON at the end of each run")
    .option('--mask <key>', 'a field of the probe that is not compared (repeatable)', gathered)
    .option('--check <command>', 'decides at the end of each run; the account is on its standard input')
    .option('--bound <number>', 'how many deviations a schedule has at most, 1 to 3 (default: 2)', readNumber)
    .option('--budget <span>', 'how long it goes on, such as 30s or 5m; 0: until nothing is left (default: 60s)')
    .option('--schedules <number>', 'how many schedules at most', readNumber)
    .option('--stop-after <number>', 'ends after so many findings', readNumber)
    .option('--only <kind>', 'tries this deviation alone (repeatable)', gathered)
    .option('--skip <kind>', 'leaves this deviation out (repeatable)', gathered)
    .option('--beyond-contract', 'tries what the specification does not promise too')
    .option('--slow <seconds>', 'how long a slow answer is held at most (default: 10)', readNumber)
    .option('--seed <number>', 'makes keys, names and the order of schedules repeatable (default: 1)', readNumber)
    .option('--jobs <number>', 'stories at the same time (default: cores)', readNumber)
    .option('--shard <I/N>', "this machine's part of the schedules")
    .option('--expect-failure <pattern>', 'the story may fail under this deviation (repeatable)', gathered)
    .option('--allow <code>', 'lets a code of the verdict pass, such as paid_again (repeatable)', gathered)
    .option('--strict-spend', 'judges spend and state where nobody could save them too')
    .option('--replay <token>', 'runs the schedule of a finding again')
    .option('--no-saved', 'neither tries nor keeps earlier findings')
    .option('--report <file>', 'writes what was found: .json, .xml (JUnit) or .html (repeatable)', gathered);
  const names = optionNames().filter((name) => !SETTLED.includes(name));
  addFlags(command, names, USUAL).addHelpText('after', NOTES).action(explore);
  return command.addCommand(mergeCommand());
}

async function explore(words: string[], flags: ExploreFlags, command: Command): Promise<void> {
  const settings = readSettings(flags, { jobs: availableParallelism() });
  // An app on a port of its own choosing can be there but once.
  const replay = flags.replay === undefined ? undefined : requireToken(flags.replay);
  if (replay || sharesPort(words, flags)) settings.jobs = 1;
  requireWritable(flags.report ?? []);
  const signals = holdSignals();
  const clock = new VirtualClock();
  const renders = new RememberedRenders();
  const seed = replay?.seed ?? settings.search.seed;
  const runner = await openRunner(words, flags, { settings, seed, renders, clock, signal: signals.heard });
  const saved = new SavedFindings(process.cwd());
  const traces = new Map<string, string>();
  const options: SearchOptions = {
    ...settings,
    search: { ...settings.search, seed, kills: flags.start !== undefined },
    jobs: storiesAtOnce(words, flags, settings.jobs),
    version: VERSION,
    signal: signals.heard,
    warn: warnUser,
    judgement: settings,
    ...keeping(flags.saved, saved, traces),
  };
  const searchRun = new SearchRun(runner, clock, options);
  const story = words.join(' ');
  const again = [...givenAgain(command, OF_SEARCH), '--', ...words];
  try {
    if (replay) await replayed(searchRun, replay, { story, signal: signals.heard });
    else await searched(searchRun, { options, story, again, files: flags.report ?? [], traces, saved, flags });
  } catch (error) {
    if (error instanceof CommandEnd || !signals.heard.aborted) throw error;
  } finally {
    await runner.close();
    await renders.close();
    signals.release();
  }
  if (signals.heard.aborted) throw new CommandEnd(exitCodeOf(signals.heard.reason));
}

/** Beside the stories one is brought to its end, and one is made ready. */
function storiesAtOnce(words: string[], flags: ExploreFlags, jobs: number): number {
  return sharesPort(words, flags) ? 1 : jobs + 2;
}

/** What is kept between searches: tokens, and the trace of each finding; `traces` tells by its token what became of it. */
function keeping(isWanted: boolean, saved: SavedFindings, traces: Map<string, string>) {
  if (!isWanted) return { saved: [] };
  const keepTrace: SearchOptions['keepTrace'] = (finding, trace) => {
    const told = 'html' in trace ? saved.keepTrace(finding, trace.html) : `was not made: ${trace.fault}`;
    traces.set(finding.token, told);
  };
  return { saved: saved.read(), keepTrace };
}

interface Telling {
  options: SearchOptions;
  story: string;
  /** What is given again when one of its schedules is replayed. */
  again: readonly string[];
  files: readonly string[];
  /** Where the trace of a finding is, by its token. */
  traces: ReadonlyMap<string, string>;
  saved: SavedFindings;
  flags: Pick<ExploreFlags, 'saved'>;
}

/** Searches, prints what was found and writes it, also when it is told to stop. */
async function searched(searchRun: SearchRun, telling: Telling): Promise<void> {
  const { options, story, again, files, traces, saved, flags } = telling;
  const progress = new ExploreProgress(options);
  const result = await searchRun.search((stand) => progress.tell(stand));
  progress.end();
  const { seed, bound } = options.search;
  const report = makeReport(
    { version: VERSION, command: story, seed, bound, seconds: searchRun.seconds, again },
    result,
  );
  const shown = new Map([...result.findings, ...result.unstable].map((each) => [each.token, each]));
  for (const file of files) await writeReport(file, report, shown);
  const told = result.findings.map((finding, at) => `${printFinding(finding, at + 1, story)}\n\n`);
  const kept = result.findings.flatMap(({ token }, at) => {
    const trace = traces.get(token);
    return trace === undefined ? [] : `The trace of ${at + 1}: ${trace}\n`;
  });
  const tests = printTests(result.findings, again);
  process.stdout.write(`${told.join('')}${tests && `${tests}\n\n`}${kept.join('')}${printSummary(result)}\n`);
  if (flags.saved) saved.keep(report.findings.map(({ token }) => token));
  if (report.findings.length > 0) throw new CommandEnd(EXIT.failure);
}

async function replayed(
  searchRun: SearchRun,
  replay: { version: string; story: string; schedule: readonly { step: string; deviation: string }[] },
  { story, signal }: { story: string; signal: AbortSignal },
): Promise<void> {
  const finding = await searchRun.replay(replay);
  // What was told to stop has not failed.
  if (signal.aborted) return;
  if (!finding) {
    process.stdout.write('The schedule of this token does not fail.\n');
    return;
  }
  process.stdout.write(`${printFinding(finding, 1, story)}\n`);
  throw new CommandEnd(EXIT.failure);
}

function requireToken(text: string) {
  const token = readToken(text);
  if (!token)
    throw new CommandEnd(
      EXIT.wrongUse,
      `--replay is ${text.slice(0, 60)}; expected a token that a finding was told with.`,
    );
  if (token.version === VERSION) return token;
  throw new CommandEnd(
    EXIT.wrongUse,
    `The token is of version ${token.version}; this is ${VERSION}. Explore again with this version, or replay it with that one.`,
  );
}

/** Tried before the first run: a report that cannot be written should not cost one. */
function requireWritable(files: readonly string[]): void {
  for (const file of files) {
    if (!/\.(?:json|xml|html)$/.test(file))
      throw new CommandEnd(EXIT.wrongUse, `--report is ${file}; expected a file that ends in .json, .xml or .html.`);
    if (!existsSync(path.dirname(path.resolve(file))))
      throw new CommandEnd(EXIT.wrongUse, `--report is ${file}; expected a file in a folder that exists.`);
    try {
      writeFileSync(file, '', { flag: 'a' });
    } catch (error) {
      throw new CommandEnd(EXIT.wrongUse, `--report is ${file}, which cannot be written: ${Object(error).message}.`);
    }
  }
}

async function writeReport(file: string, report: ExploreReport, shown: Shown): Promise<void> {
  if (file.endsWith('.xml')) return writeFileSync(file, printExploreJunit(report));
  if (file.endsWith('.json')) return writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  const { printExplorePage } = await import('../explore/print-page.ts');
  writeFileSync(file, printExplorePage(report, shown));
}

function readNumber(text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isFinite(number)) return number;
  throw new InvalidArgumentError('It must be a number.');
}
