import { z } from 'zod';
import { VirtualClock } from '../../base/clock/clock.ts';
import { readConfig } from '../../base/config/config.ts';
import { invalid } from '../../base/errors.ts';
import { VERSION } from '../../base/package/version.ts';
import { type ExploreReport, makeReport } from '../../check/app/explore-report.ts';
import { TOO_FEW } from '../../check/app/explore-settings.ts';
import { SavedFindings } from '../../check/app/saved-findings.ts';
import { readToken, shellText } from '../../check/app/token.ts';
import { ShellProcess } from '../../check/runner/shell-process.ts';
import type { ControlConnection } from '../../control/control-connection.ts';
import type { EmulatorTool } from '../../control/mcp/operation-tools.ts';
import { InputReader } from '../../service/http/input.ts';
import { type CommandLine, commandAddress } from '../remote.ts';
import { checkTool } from './check-tool.ts';
import { startedAs } from './explore-output.ts';
import { openSearch } from './explore-world.ts';
import { mutateTool } from './mutate-tool.ts';

const commandInput = z.strictObject({
  timeout_seconds: z.number().positive().max(3600).default(120).describe('after so long it is killed; 120 by default.'),
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

const names = z.array(z.string().max(80)).max(100);

const exploreInput = z.strictObject({
  token: z
    .string()
    .max(800)
    .optional()
    .describe("a finding's token: its schedule alone is run, to see whether it is mended."),
  budget_seconds: z
    .number()
    .positive()
    .max(3600)
    .default(30)
    .describe('for so long schedules are tried; 30 by default.'),
  schedules: z.int().min(1).max(1_000_000).optional().describe('how many schedules at most.'),
  stop_after: z.int().min(1).max(1000).optional().describe('ends after so many findings.'),
  bound: z.int().min(1).max(3).default(2).describe('how many deviations a schedule has at most; 2 by default.'),
  only: names.default([]).describe('these deviations or outcomes alone, such as lost_answer or take_fails.'),
  skip: names.default([]).describe('leaves these deviations or outcomes out.'),
  expect_failure: names.default([]).describe('the command may fail under these, such as empty_balance or status:*.'),
  allow: names.default([]).describe('lets these codes of the verdict pass, such as paid_again.'),
});

const HOW =
  'each time with the service behaving otherwise as it may (lost answers, twin deliveries, failing takes), and reports ' +
  "which schedules break it, in their smallest form. Mend the cause, give the finding's token to see that it holds, then " +
  'explore again.';

type Input = z.output<typeof exploreInput>;

/** Explores the command as `svc-emulator explore -- COMMAND` does, against emulators of its own; answers its JSON report. */
function exploreTool(command: CommandLine): EmulatorTool {
  const story = command.words.join(' ');
  const reader = new InputReader(exploreInput);
  return {
    name: 'explore',
    description: `Runs \`${story}\` again and again, ${HOW}`,
    input: exploreInput,
    isReadOnly: false,
    call: (_control, args) => explored(command, reader.readKnown(args)),
  };
}

async function explored({ words, flags, ending }: CommandLine, args: Input): Promise<ExploreReport> {
  const { budget_seconds: seconds, stop_after: stopAfter, expect_failure: expectFailure, ...rest } = args;
  const options = { ...rest, config: flags.config, budget: seconds * 1000, stopAfter, expectFailure };
  const saved = new SavedFindings(process.cwd());
  const search = await openSearch(words, { flags: options, replay: tokenOf(args), signal: ending, saved });
  try {
    const result = await search.run();
    const again = { program: startedAs(process, process.cwd()), words: ['--', ...words] };
    const { seed, bound, searchRun } = search;
    const about = { version: VERSION, command: words.join(' '), seed, bound, seconds: searchRun.seconds, again };
    const shortfall = search.shortfall();
    const error = shortfall === undefined ? undefined : { exit_code: TOO_FEW, message: shortfall };
    const report = makeReport(about, result, error);
    saved.keep(report.findings.map(({ token }) => token));
    return report;
  } finally {
    await search.close();
  }
}

function tokenOf({ token }: Input) {
  if (token === undefined) return undefined;
  const replay = readToken(token);
  if (replay?.version === VERSION) return replay;
  throw invalid('token', `token is none of this version (${VERSION}); expected one that a finding was reported with.`);
}

/** Every one of them; they are offered over standard input and output only [I238]. */
const PROCESS_TOOLS: readonly ((command: CommandLine) => EmulatorTool)[] = [
  runTool,
  checkTool,
  exploreTool,
  mutateTool,
];

/** None without a command. */
export function processTools(command: CommandLine): EmulatorTool[] {
  return command.words.length === 0 ? [] : PROCESS_TOOLS.map((toolOf) => toolOf(command));
}
