import { once } from 'node:events';
import type { Command } from 'commander';
import { VERSION } from '../package/version.ts';
import { STOP_SIGNALS } from './process-end.ts';
import { type RemoteFlags, remoteCommand, remoteControl } from './remote.ts';

const SETTING = `
Tell an assistant to start it, as in {"mcpServers": {"svc-emulator": {"command": "npx", "args": ["svc-emulator", "mcp"]}}}.
It speaks over standard input and output to the emulator that --host and --port name, which has to run.
With a command after --, as in "args": ["svc-emulator", "mcp", "--", "npm", "test"], there are tools that run it, and nothing
else: run_command, explore and mutate.`;

/** `svc-emulator mcp`: the control surface of a running emulator as tools of an assistant, over stdio. */
export function mcpCommand(): Command {
  return remoteCommand('mcp', 'offer a running emulator to an assistant as MCP tools, over stdio')
    .usage('[options] [-- command [arguments]]')
    .argument('[command...]', 'the one command that tools may run, with its arguments')
    .addHelpText('after', SETTING)
    .action(serveTools);
}

async function serveTools(words: string[], flags: RemoteFlags): Promise<void> {
  const { createToolServer } = await import('../mcp/tool-server.ts');
  const { processTools } = await import('./process-tools.ts');
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
  const ending = new AbortController();
  const more = processTools({ words, flags, ending: ending.signal });
  const server = createToolServer(remoteControl(flags), VERSION, more);
  await server.connect(new StdioServerTransport());
  const signals = STOP_SIGNALS.map((name) => once(process, name));
  // The assistant that started it is gone when its input ends.
  await Promise.race([once(process.stdin, 'end'), once(process.stdin, 'close'), ...signals]);
  ending.abort();
  await server.close();
}
