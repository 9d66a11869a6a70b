import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { VirtualClock } from '../../base/clock/virtual-clock.ts';
import { readConfig } from '../../base/config/config.ts';
import { VERSION } from '../../base/package/package-folder.ts';
import { BASELINE_FILE, readCheckBaseline } from '../../check/baseline.ts';
import { makeReport } from '../../check/make-report.ts';
import { ShellProcess } from '../../check/runner/shell-process.ts';
import { readCheckSettings } from '../../check/settings.ts';
import { shellText } from '../../check/token.ts';
import type { ControlConnection } from '../../control/control-connection.ts';
import type { EmulatorTool } from '../../control/mcp/tool-server.ts';
import { InputReader } from '../../service/http/input.ts';
import { type CommandLine, commandAddress } from '../remote.ts';
import { headOf, today } from './check-output.ts';
import { againOf } from './check-world.ts';
import { ReportMask } from './report-mask.ts';
import { openCheck } from './run-check.ts';

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
      return {
        ...end,
        output: new ReportMask().text(running.output).slice(-MOST_OUTPUT),
        ...(await trace(control, account.id)),
      };
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

const checkInput = z.strictObject({
  only: names.describe('these checks, faults, violations or families alone; with *.'),
  replay: z.string().max(800).optional().describe('the token of one finding, which is run alone: is it fixed?'),
  budget_seconds: spanOf(120).describe('time limit; 120 by default.'),
});

const HOW_CHECKED =
  'while the service does what its contract allows, and while it breaks it, and returns fourteen checks of the integration. ' +
  'Fix what the first finding says, give its token as `replay` until it is gone, then check again.';

const MOST_FINDINGS = 20;

async function checked(
  { words, flags, ending: signal }: CommandLine,
  { only, replay, budget_seconds: seconds }: z.output<typeof checkInput>,
) {
  const options = { only, budget: seconds * 1000, ...(replay !== undefined && { replay }) };
  const settings = readCheckSettings(options, { jobs: availableParallelism(), version: VERSION });
  const quiet = { saved: [], warn: () => {} };
  const { run, close } = await openCheck(words, { config: flags.config }, { settings, signal, ...quiet });
  try {
    await run.run();
    const { report } = makeReport({
      head: headOf(words.join(' '), settings.seed),
      outcome: run.outcome,
      faults: run.stopped,
      settings,
      baseline: readCheckBaseline(BASELINE_FILE),
      isWritten: false,
      again: againOf(words),
      seconds: run.seconds,
      today: today(),
      hasAssert: false,
      hasApp: false,
    });
    const { measured, checks, findings, exit, error } = new ReportMask().of(report);
    const left = Math.max(0, findings.length - MOST_FINDINGS);
    return { measured, checks, findings: findings.slice(0, MOST_FINDINGS), findings_left: left, exit, error };
  } finally {
    await close();
  }
}

/** Checks the command, as `svc-emulator check` does. */
function checkTool(command: CommandLine): EmulatorTool {
  const reader = new InputReader(checkInput);
  return {
    name: 'check',
    description: `Runs \`${command.words.join(' ')}\` again and again, ${HOW_CHECKED}`,
    input: checkInput,
    isReadOnly: false,
    call: (_control, args) => checked(command, reader.readKnown(args)),
  };
}

/** None without a command; they are offered over standard input and output only [I238]. */
export function processTools(command: CommandLine): EmulatorTool[] {
  return command.words.length === 0 ? [] : [runTool(command), checkTool(command)];
}
