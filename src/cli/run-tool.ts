import { z } from 'zod';
import type { ControlConnection } from '../client/control-connection.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { readConfig } from '../config/config.ts';
import { shellText } from '../explore/token.ts';
import { InputReader } from '../http/input.ts';
import type { EmulatorTool } from '../mcp/tool-server.ts';
import { ShellProcess } from '../runs/shell-process.ts';
import { commandAddress } from './command-address.ts';
import type { RemoteFlags } from './remote.ts';

const input = z.strictObject({
  timeout_seconds: z.number().positive().max(3600).default(120).describe('after so long it is killed; 120 by default.'),
});

/** The last of what a command printed that an assistant reads, in characters. */
const MOST_OUTPUT = 16_384;

/** Runs the command once against the emulator, on an account of its own, and answers with its outcome. */
export function runTool({ words, flags, ending }: GivenCommand): EmulatorTool {
  const command = words.join(' ');
  const reader = new InputReader(input);
  return {
    name: 'run_command',
    description: `Runs \`${command}\` on a fresh account: its exit code, what it printed, what it spent, and what it did wrong.`,
    input,
    isReadOnly: false,
    async call(control, given) {
      const { timeout_seconds: seconds } = reader.readKnown(given);
      const account = await control.post<{ id: string; api_key: string }>('/accounts', { name: command.slice(0, 100) });
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
  const { credits } = await control.get<{ credits: number }>(`/accounts/${accountId}`);
  const requests = await control.list('/requests', query);
  const verdict = await control.get('/verdict', query);
  return { account_id: accountId, credits_left: credits, requests: requests.length, verdict };
}

/** The command of a tool that starts a process: it runs these words and nothing else. */
export interface GivenCommand {
  words: readonly string[];
  /** By which the emulator that runs is found. */
  flags: RemoteFlags;
  /** Aborts when the assistant is gone: what runs ends with it. */
  ending: AbortSignal;
}
