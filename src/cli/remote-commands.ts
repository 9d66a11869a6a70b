import { once } from 'node:events';
import { Command } from 'commander';
import { VERSION } from '../base/package/package-folder.ts';
import type { WireAnswer } from '../control/call-operation.ts';
import type { ControlConnection } from '../control/control-connection.ts';
import { ControlError } from '../control/control-errors.ts';
import type { LiveBatch } from '../engine/journal/live-feed.ts';
import { onSignals, STOP_SIGNALS, waitForStopSignal } from './process-end.ts';
import {
  connectionFromFlags,
  createCommandWithAddress,
  createRemoteCommand,
  noEmulatorError,
  type RemoteFlags,
  requireSameVersionAndKnownAccount,
  withEmulatorConnection,
} from './remote.ts';
import { prettyJson, writeTraceFile } from './report-files.ts';
import { print, printToStderr } from './terminal-output.ts';

interface ListenFlags extends RemoteFlags {
  account?: string;
}

export function createListenCommand(): Command {
  return createRemoteCommand('listen', 'print webhook deliveries as they happen, until Ctrl-C')
    .option('--account <id>', 'print only the deliveries of this account')
    .action(listen);
}

async function listen(flags: ListenFlags): Promise<void> {
  const stopped = new AbortController();
  void waitForStopSignal().then(() => stopped.abort());
  process.stdout.once('error', () => stopped.abort());
  await withEmulatorConnection(flags, async (control) => {
    await requireSameVersionAndKnownAccount(control, flags.account);
    try {
      await follow(control, flags, stopped.signal);
    } catch (error) {
      if (!stopped.signal.aborted) throw error;
    }
  });
}

/** Reconnects after a lost connection if the emulator still responds, because a reset closes the connection. */
async function follow(control: ControlConnection, flags: ListenFlags, signal: AbortSignal) {
  let after: string | undefined;
  for (;;) {
    for await (const { id, event, data } of open(control, after, signal)) {
      if (event === 'hello' && after === undefined) {
        printToStderr(`Listening to the deliveries of ${control.url}; Ctrl-C ends it.\n`);
      }
      after = id;
      if (event === 'batch') await printBatch(control, flags, JSON.parse(data));
    }
    if (signal.aborted) return;
  }
}

async function* open(control: ControlConnection, after: string | undefined, signal: AbortSignal) {
  try {
    yield* control.stream('/live', { after }, signal);
  } catch (error) {
    if (error instanceof ControlError || after === undefined || signal.aborted) throw error;
    await control.call('getHealth').catch(() => {
      throw noEmulatorError(control.url);
    });
  }
}

async function printBatch(control: ControlConnection, flags: ListenFlags, batch: LiveBatch): Promise<void> {
  for (const { kind, id, account_id } of batch.notices) {
    if (kind !== 'delivery' || (flags.account ?? account_id) !== account_id) continue;
    const delivery = await control.call('showDelivery', { id }).catch(forgotten);
    if (!delivery) continue;
    print(`${flags.json ? JSON.stringify(delivery) : lineOf(delivery)}\n`);
  }
  const { notices: lost } = batch.left_out;
  if (lost > 0) printToStderr(`${lost} more happened than can be listed at once.\n`);
}

function forgotten(error: unknown): undefined {
  if (error instanceof ControlError && error.status === 404) return undefined;
  throw error;
}

function lineOf(delivery: WireAnswer<'showDelivery'>): string {
  const { id, type, url, attempted_at, duration_ms, response_status, error } = delivery;
  const time = attempted_at?.slice(11, 19) ?? 'not sent';
  const answer = response_status === null ? (error ?? delivery.status) : response_status;
  const took = duration_ms === null ? '' : ` in ${duration_ms} ms`;
  const notes = [
    delivery.redelivery_of === null ? '' : `again after ${delivery.redelivery_of}`,
    delivery.fault === null ? '' : `fault: ${delivery.fault}`,
  ].filter(Boolean);
  const note = notes.length > 0 ? ` (${notes.join(', ')})` : '';
  return `${time}  ${type}  ${url}  ${answer}${took}  ${id}${note}`;
}

const SETTING = `
The assistant starts this command, as in {"mcpServers": {"svc-emulator": {"command": "npx", "args": ["svc-emulator", "mcp"]}}}.
The tools need a running emulator, at --host and --port.
If a command follows --, as in "args": ["svc-emulator", "mcp", "--", "npm", "test"], the tools run_command and check run it.`;

export function createMcpCommand(): Command {
  return createCommandWithAddress('mcp', 'serve a running emulator to an AI assistant as MCP tools')
    .usage('[options] [-- command [arguments]]')
    .argument('[command...]', 'the command that the tools may run')
    .addHelpText('after', SETTING)
    .action(serveTools);
}

async function serveTools(words: string[], flags: RemoteFlags): Promise<void> {
  const { createToolServer } = await import('../control/mcp/tool-server.ts');
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  const { createCommandTools } = await import('./mcp/process-tools.ts');
  const ending = new AbortController();
  const more = createCommandTools({ words, flags, ending: ending.signal });
  const control = connectionFromFlags(flags);
  const served = serveStdio(() => createToolServer(control, VERSION, more));
  const heard = new Promise<void>((resolve) => onSignals(STOP_SIGNALS, () => resolve()));
  await Promise.race([once(process.stdin, 'end'), once(process.stdin, 'close'), heard]);
  ending.abort();
  await served.close();
}

interface SaveFlags extends RemoteFlags {
  account?: string;
  traceMedia?: boolean;
}

export function createTraceCommand(): Command {
  const save = createRemoteCommand('save', 'write a trace of a running emulator')
    .argument('<file>', 'the HTML file to write')
    .option('--account <id>', 'include only the requests of this account')
    .option('--trace-media', 'include full images, videos and sounds')
    .action(saveTrace);
  return new Command('trace').description('save a run as one HTML page').addCommand(save);
}

async function saveTrace(file: string, flags: SaveFlags): Promise<void> {
  const media = flags.traceMedia ? 'whole' : 'small';
  const order = { media, ...(flags.account && { account_id: flags.account }) } as const;
  const html = await withEmulatorConnection(flags, async (control) => {
    await requireSameVersionAndKnownAccount(control, flags.account);
    return control.call('saveTrace', order);
  });
  writeTraceFile(file, html);
  const saved = { file, bytes: Buffer.byteLength(html) };
  print(flags.json ? prettyJson(saved) : `wrote ${file}: open it in a browser\n`);
}
