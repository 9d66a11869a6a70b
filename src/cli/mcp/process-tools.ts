import { z } from 'zod';
import { VirtualClock } from '../../base/clock/virtual-clock.ts';
import { readConfig } from '../../base/config/config.ts';
import { ShellProcess } from '../../check/runner/shell-process.ts';
import { toShellCommandLine } from '../../check/token.ts';
import type { ControlConnection } from '../../control/control-connection.ts';
import type { EmulatorTool } from '../../control/mcp/tool-server.ts';
import { InputReader } from '../../service/http/input.ts';
import { createCheckTool } from '../check/check-tool.ts';
import { ReportMask } from '../check/report-mask.ts';
import { type CommandToolOptions, emulatorVariables } from '../remote.ts';

const commandInput = z.strictObject({
  timeout_seconds: z.number().positive().max(3600).default(120).describe('the time limit in seconds (default: 120).'),
});

const MAX_OUTPUT = 16_384;

function runTool({ words, flags, ending }: CommandToolOptions): EmulatorTool {
  const command = words.join(' ');
  const reader = new InputReader(commandInput);
  return {
    name: 'run_command',
    description: `Runs \`${command}\` on a new account. Returns the exit code, the output, the spending and the mistakes of the client.`,
    input: commandInput,
    isReadOnly: false,
    async call(control, args) {
      const { timeout_seconds: seconds } = reader.readKnown(args);
      const account = await control.call('createAccount', { name: command.slice(0, 100) });
      const { controlToken } = readConfig({ controlToken: flags.controlToken, config: flags.config });
      const address = emulatorVariables(control.url, { key: account.api_key, controlToken });
      const running = new ShellProcess(toShellCommandLine(words), { env: { ...process.env, ...address } });
      const { code, signal, isHung } = await running.end(new VirtualClock(), seconds * 1000, ending);
      running.endDetached();
      const end = { exit_code: code ?? null, signal: signal ?? null, timed_out: isHung };
      return {
        ...end,
        output: new ReportMask().text(running.output).slice(-MAX_OUTPUT),
        ...(await trace(control, account.id)),
      };
    },
  };
}

async function trace(control: ControlConnection, accountId: string) {
  const query = { account_id: accountId };
  const { credits } = await control.call('showAccount', { id: accountId });
  const { data: requests } = await control.call('listRequests', query);
  const verdict = await control.call('judgeClient', query);
  return { account_id: accountId, credits_left: credits, requests: requests.length, verdict };
}

/** The tools that run the command. Empty without a command. Available over standard input and output only [I238]. */
export function createCommandTools(command: CommandToolOptions): EmulatorTool[] {
  return command.words.length === 0 ? [] : [runTool(command), createCheckTool(command)];
}
