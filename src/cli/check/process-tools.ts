import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { VirtualClock } from '../../base/clock/virtual-clock.ts';
import { readConfig } from '../../base/config/config.ts';
import { invalid } from '../../base/errors.ts';
import { VERSION } from '../../base/package/package-folder.ts';
import { type ExploreReport, makeReport } from '../../check/app/explore-report.ts';
import { SavedFindings } from '../../check/app/saved-findings.ts';
import { readToken, shellText } from '../../check/app/token.ts';
import { readCheckSettings } from '../../check/check-settings.ts';
import { makeCheckReport } from '../../check/make-check-report.ts';
import { TOO_LITTLE } from '../../check/runner/runner.ts';
import { ShellProcess } from '../../check/runner/shell-process.ts';
import { shortfallOf } from '../../check/tests/gates.ts';
import type { Measurement } from '../../check/tests/measurement.ts';
import { survivorsOf } from '../../check/tests/mutate-report.ts';
import { type MutateSettings, readMutateSettings } from '../../check/tests/mutate-settings.ts';
import { numbersLine, toSee } from '../../check/tests/print-mutate.ts';
import type { ControlConnection } from '../../control/control-connection.ts';
import { lieInWords } from '../../control/lies/lie-table.ts';
import type { EmulatorTool } from '../../control/mcp/tool-server.ts';
import { InputReader } from '../../service/http/input.ts';
import { type CommandLine, commandAddress } from '../remote.ts';
import { openCheck } from './check-run.ts';
import { againOf, openSearch } from './explore-world.ts';
import { openMeasurement } from './mutate-run.ts';

const names = z.array(z.string().max(80)).max(100).default([]);
/** How long something goes on, in seconds. */
const spanOf = (usual: number) => z.number().positive().max(3600).default(usual);

const commandInput = z.strictObject({
  timeout_seconds: spanOf(120).describe('after so long it is killed; 120 by default.'),
});

/** The last of what a command printed that an assistant reads, in characters. */
const MOST_OUTPUT = 16_384;

/** Runs the command once against the emulator, on an account of its own, and answers with its outcome. */
function runTool({ words, flags, ending }: CommandLine): EmulatorTool {
  const command = words.join(' ');
  const reader = new InputReader(commandInput);
  return {
    name: 'run_command',
    description: `Runs \`${command}\` on a fresh account: its exit code, what it printed, what it spent, and what it did wrong.`,
    input: commandInput,
    isReadOnly: false,
    async call(control, args) {
      const { timeout_seconds: seconds } = reader.readKnown(args);
      const account = await control.call('createAccount', { name: command.slice(0, 100) });
      const { controlToken } = readConfig({ controlToken: flags.controlToken, config: flags.config });
      const address = commandAddress(control.url, { key: account.api_key, controlToken });
      const running = new ShellProcess(shellText(words), { env: { ...process.env, ...address } });
      const { code, signal, isHung } = await running.end(new VirtualClock(), seconds * 1000, ending);
      const end = { exit_code: code ?? null, signal: signal ?? null, timed_out: isHung };
      return { ...end, output: running.output.slice(-MOST_OUTPUT), ...(await trace(control, account.id)) };
    },
  };
}

/** What the command left behind with the service. */
async function trace(control: ControlConnection, accountId: string) {
  const query = { account_id: accountId };
  const { credits } = await control.call('showAccount', { id: accountId });
  const { data: requests } = await control.call('listRequests', query);
  const verdict = await control.call('judgeClient', query);
  return { account_id: accountId, credits_left: credits, requests: requests.length, verdict };
}

const exploreInput = z.strictObject({
  token: z
    .string()
    .max(800)
    .optional()
    .describe("a finding's token: its schedule alone is run, to see whether it is mended."),
  budget_seconds: spanOf(30).describe('for so long schedules are tried; 30 by default.'),
  schedules: z.int().min(1).max(1_000_000).optional().describe('how many schedules at most.'),
  stop_after: z.int().min(1).max(1000).optional().describe('ends after so many findings.'),
  bound: z.int().min(1).max(3).default(2).describe('how many deviations a schedule has at most; 2 by default.'),
  only: names.describe('these deviations or outcomes alone, such as lost_answer or take_fails.'),
  skip: names.describe('leaves these deviations or outcomes out.'),
  expect_failure: names.describe('the command may fail under these, such as empty_balance or status:*.'),
  allow: names.describe('lets these codes of the verdict pass, such as paid_again.'),
});

const HOW_EXPLORED =
  'each time with the service behaving otherwise as it may (lost answers, twin deliveries, failing takes), and reports ' +
  "which schedules break it, in their smallest form. Mend the cause, give the finding's token to see that it holds, then " +
  'explore again.';

async function explored(
  { words, flags, ending }: CommandLine,
  args: z.output<typeof exploreInput>,
): Promise<ExploreReport> {
  const { budget_seconds: seconds, stop_after: stopAfter, expect_failure: expectFailure, ...rest } = args;
  const options = { ...rest, config: flags.config, budget: seconds * 1000, stopAfter, expectFailure };
  const saved = new SavedFindings(process.cwd());
  const search = await openSearch(words, { flags: options, replay: tokenOf(args), signal: ending, saved });
  try {
    const result = await search.run();
    const again = againOf(words);
    const { seed, bound, searchRun } = search;
    const about = { version: VERSION, command: words.join(' '), seed, bound, seconds: searchRun.seconds, again };
    const shortfall = search.shortfall();
    const error = shortfall === undefined ? undefined : { exit_code: TOO_LITTLE, message: shortfall };
    const report = makeReport(about, result, error);
    saved.keep(report.findings.map(({ token }) => token));
    return report;
  } finally {
    await search.close();
  }
}

function tokenOf({ token }: z.output<typeof exploreInput>) {
  if (token === undefined) return undefined;
  const replay = readToken(token);
  if (replay?.version === VERSION) return replay;
  throw invalid('token', `token is none of this version (${VERSION}); expected one that a finding was reported with.`);
}

const checkInput = z.strictObject({
  part: z
    .array(z.enum(['app', 'tests', 'spend']))
    .max(3)
    .default(['app', 'tests', 'spend'])
    .describe('parts; all by default.'),
  only: names.describe('these scenarios, lies or families alone; with *.'),
  again: z.string().max(800).optional().describe('the token of one finding, which alone is run: is it mended?'),
  budget_seconds: spanOf(120).describe('for so long it goes on; 120 by default.'),
});

const HOW_CHECKED =
  'while the service does what its contract allows, and while it breaks it, and answers in statements about the integration. ' +
  'Mend what the first finding says, give its token as `again` until it is gone, then check again.';

const MOST_FINDINGS = 20;

async function checked(
  { words, flags, ending: signal }: CommandLine,
  { part, only, again: token, budget_seconds: seconds }: z.output<typeof checkInput>,
) {
  const options = { only, budget: seconds * 1000, again: token };
  const settings = readCheckSettings(options, { parts: part, jobs: availableParallelism(), version: VERSION });
  const again = againOf(words);
  const shown = { baseline: undefined, saved: [], survivors: [], warn: () => {} };
  const { run, close } = await openCheck(words, { config: flags.config }, { settings, again, signal, ...shown });
  try {
    await run.run();
    const date = new Date(new VirtualClock().real()).toISOString();
    const { report } = makeCheckReport({
      head: {
        version: VERSION,
        date,
        commit: null,
        lock: null,
        command: words.join(' '),
        seed: settings.app.search.seed,
      },
      reports: run.reports(),
      faults: run.faults,
      gates: { require: [], min: new Map(), maxBrittle: 0 },
      asked: part,
      again,
      seconds: run.seconds,
      isNarrowed: settings.isNarrowed,
    });
    const { measured, statements, findings, exit, error } = report;
    const left = Math.max(0, findings.length - MOST_FINDINGS);
    return { measured, statements, findings: findings.slice(0, MOST_FINDINGS), findings_left: left, exit, error };
  } finally {
    await close();
  }
}

const mutateInput = z.strictObject({
  only: names.describe('these lies or families alone, such as money or refund.*.'),
  lie: z.string().max(200).optional().describe('one lie alone, as `key` of an earlier answer names it.'),
  budget_seconds: spanOf(120).describe('for how long lies are tried; 120 by default.'),
});

const HOW_MUTATED =
  'each time while the service lies in one way (a failed order is not refunded, an event carries the id of another), and ' +
  'reports which lies no test notices, each with the assertion that sees it. Add the assertion to the test, give the ' +
  '`key` as `lie` until it is noticed, then go on with the next one.';

async function mutated(
  { words, flags, ending: signal }: CommandLine,
  { only, lie, budget_seconds: seconds }: z.output<typeof mutateInput>,
) {
  const options = { only, budget: seconds * 1000, trust: true, ...(lie === undefined ? {} : { lie }) };
  const settings = readMutateSettings(options);
  const parts = { settings, baseline: undefined, signal };
  const { measurement, close } = await openMeasurement(words, { config: flags.config }, parts);
  try {
    await measurement.measure();
    return answerOf(measurement, settings);
  } finally {
    await close();
  }
}

const MOST_SURVIVORS = 20;

/** What an assistant can work down: one survivor after the other. */
function answerOf(measurement: Measurement, settings: MutateSettings) {
  const report = measurement.report();
  const survivors = survivorsOf(report);
  const { measured, control, families, units, unreached } = report;
  return {
    summary: numbersLine(report),
    measured,
    control,
    families,
    survivors: survivors.slice(0, MOST_SURVIVORS).map((site) => ({
      key: site.key,
      not_noticed: lieInWords(site.lie, site.field),
      site: site.site,
      harm: site.harm,
      assertion: toSee(site),
      units: site.rows
        .map(({ unit }) => units.find(({ name }) => name === unit))
        .map((unit) => ({ ...unit, sites: undefined })),
    })),
    survivors_left: Math.max(0, survivors.length - MOST_SURVIVORS),
    lies: report.lies.map(({ lie, field, site, unit, verdict, by }) => ({ lie, field, site, unit, verdict, by })),
    not_met: unreached.filter(({ why }) => why === 'no such road').map(({ lie }) => lie),
    error: shortfallOf(report, settings),
  };
}

/** A tool that runs the command again and again, as the command of its name does. */
function searchTool<Schema extends z.ZodObject>(
  { name, how, input }: { name: string; how: string; input: Schema },
  work: (command: CommandLine, args: z.output<Schema>) => Promise<object>,
): (command: CommandLine) => EmulatorTool {
  const reader = new InputReader(input);
  return (command) => ({
    name,
    description: `Runs \`${command.words.join(' ')}\` again and again, ${how}`,
    input,
    isReadOnly: false,
    call: (_control, args) => work(command, reader.readKnown(args)),
  });
}

/** Every one of them; they are offered over standard input and output only [I238]. */
const PROCESS_TOOLS: readonly ((command: CommandLine) => EmulatorTool)[] = [
  runTool,
  searchTool({ name: 'check', how: HOW_CHECKED, input: checkInput }, checked),
  searchTool({ name: 'explore', how: HOW_EXPLORED, input: exploreInput }, explored),
  searchTool({ name: 'mutate', how: HOW_MUTATED, input: mutateInput }, mutated),
];

/** None without a command. */
export function processTools(command: CommandLine): EmulatorTool[] {
  return command.words.length === 0 ? [] : PROCESS_TOOLS.map((toolOf) => toolOf(command));
}
