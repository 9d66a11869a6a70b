import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../support/free-port.ts';
import { toolModules } from '../tools/installed-tools.mjs';
import { readPage } from './follow-page.ts';
import { namedBlocks } from './page-code.ts';
import { ReaderFolder, type Terminal } from './terminal.ts';

const TOOLS = await toolModules();
const BRIDGE = path.join(import.meta.dirname, 'route-bridge.mjs');

const FILES = namedBlocks(readPage('docs/webhook-receivers.md'), 'js|python');
const SHARED = 'svc-signature.mjs';

/** The receivers that the page shows, by the names of their files. */
export function pageReceivers(): Map<string, string> {
  return new Map(Object.entries(FILES).filter(([file]) => file !== SHARED));
}

export interface RunningReceiver {
  url: string;
  terminal: Terminal;
}

/** The file with `isGenuine`, which the JavaScript receivers import. */
export function pageSignature(): string {
  return FILES[SHARED] ?? '';
}

/** Runs a receiver as a reader would until the test ends. A route handler runs behind a small server. */
export async function runReceiver(
  file: string,
  code: string,
  secret: string,
  { port, signature = pageSignature() }: { port?: number | undefined; signature?: string } = {},
): Promise<RunningReceiver> {
  const folder = new ReaderFolder(/^import .* from '(?:fastify|hono)'/m.test(code) ? { modules: TOOLS } : {});
  const isRoute = path.basename(file) === 'route.js';
  const name = isRoute ? 'route.mjs' : path.basename(file);
  writeFileSync(path.join(folder.path, name), code);
  if (code.includes(SHARED)) writeFileSync(path.join(folder.path, SHARED), signature);
  const at = port ?? (await freePort());
  const program = name.endsWith('.py') ? 'python3' : isRoute ? `node '${BRIDGE}'` : 'node';
  const terminal = folder.open(`SVC_WEBHOOK_SECRET='${secret}' PORT=${at} ${program} ${name}`);
  await terminal.shows('receiver ready');
  return { url: `http://127.0.0.1:${at}/events`, terminal };
}
