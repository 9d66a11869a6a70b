import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { treeMemory } from './process-memory.ts';

/** The key of the account that every emulator starts with. */
export const KEY = { authorization: 'Bearer svc_sk_local_emulator' };
export const HEADERS = { ...KEY, 'content-type': 'application/json' };
/** A short chat, because the benches send thousands of them. */
export const CHAT = { model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Where does the road lead?' }] };
/** More credits than a bench spends. */
export const RICH = ['--credits', '1000000000'];

/** The report of a watched server. */
export interface Seen {
  /** The longest time that its event loop was blocked since the last report. */
  milliseconds: number;
  /** Resident memory in MiB. */
  rss: number;
}

/** A server in a process of its own. */
export interface BenchServer {
  url: string;
  /** Resident memory of the process and its descendants, in MiB. */
  memory(): number;
  /** Throws unless it is a `watchedServer`. */
  seen(): Promise<Seen>;
  close(): Promise<void>;
}

const FOLDERS = path.resolve('node_modules/.cache/bench');

/**
 * A new folder in the project, where a data folder is by default. On some file systems new files are slow in the system's
 * temporary folder after much was deleted there.
 */
export async function withFolder<T>(act: (folder: string) => T): Promise<Awaited<T>> {
  mkdirSync(FOLDERS, { recursive: true });
  const folder = mkdtempSync(path.join(FOLDERS, 'run-'));
  try {
    return await act(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const START = ['dist/main.js', 'start', '--port', '0', '--log', 'silent', '--data-dir'];

/** Starts the built emulator with this data folder. */
export function serverAt(folder: string, ...flags: string[]): Promise<BenchServer> {
  return serve([...START, folder, ...flags]);
}

/** The same server, which also reports how long its event loop was blocked. */
export function watchedServer(folder: string, ...flags: string[]): Promise<BenchServer> {
  return serve(['--import', './test/bench/loop-watch.mjs', ...START, folder, ...flags], { isWatched: true });
}

/** Runs `act` on the built emulator in a new folder, and then closes the emulator. */
export function withServer<T>(flags: readonly string[], act: (server: BenchServer) => T): Promise<Awaited<T>> {
  return withFolder(async (folder) => during(await serverAt(path.join(folder, 'data'), ...flags), act));
}

export function withWatched<T>(flags: readonly string[], act: (server: BenchServer) => T): Promise<Awaited<T>> {
  return withFolder(async (folder) => during(await watchedServer(path.join(folder, 'data'), ...flags), act));
}

/** Closes the server after `act`. */
export async function during<T>(server: BenchServer, act: (server: BenchServer) => T): Promise<Awaited<T>> {
  try {
    return await act(server);
  } finally {
    await server.close();
  }
}

/** An Express server that returns these bytes, or these events to a streamed request. */
export function bareServer(answer: Buffer, events: readonly string[]): Promise<BenchServer> {
  const env = { ANSWER: answer.toString('base64'), EVENTS: Buffer.from(JSON.stringify(events)).toString('base64') };
  return serve(['test/bench/bare-express.mjs'], { env: { ...env, NODE_ENV: 'production' } });
}

/** aimock, the most similar other emulator. It returns this text. */
export function aimockServer(content: string): Promise<BenchServer> {
  return serve(['test/bench/aimock-server.mjs'], { env: { CONTENT: Buffer.from(content).toString('base64') } });
}

/** Resolves when the server has printed its first line. */
export async function serve(
  argv: string[],
  { env, isWatched = false }: { env?: NodeJS.ProcessEnv; isWatched?: boolean } = {},
): Promise<BenchServer> {
  const child = spawn(process.execPath, argv, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit', ...(isWatched ? ['ipc' as const] : [])],
  });
  const [line] = await once(createInterface(child.stdout as NodeJS.ReadableStream), 'line');
  return {
    url: /http:\/\/[^\s/]+/.exec(String(line))?.[0] ?? '',
    memory: () => treeMemory(child.pid ?? 0),
    async seen() {
      const answer = once(child, 'message');
      child.send('read');
      return (await answer)[0] as Seen;
    },
    async close() {
      // Otherwise its IPC channel keeps the process alive.
      if (child.connected) child.disconnect();
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

/** Sends a request, with a JSON body if there is one. Throws unless the status is 2xx. */
export async function call<T = unknown>(
  url: string,
  {
    method = 'GET',
    body,
    headers = HEADERS,
  }: { method?: string; body?: object; headers?: Record<string, string> } = {},
): Promise<T> {
  const answer = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} was answered ${answer.status}: ${text.slice(0, 400)}`);
  return (text.startsWith('{') ? JSON.parse(text) : undefined) as T;
}

export function post<T = unknown>(url: string, body: object = {}, headers = HEADERS): Promise<T> {
  return call<T>(url, { method: 'POST', body, headers });
}

export async function idle({ url }: Pick<BenchServer, 'url'>): Promise<void> {
  await call(`${url}/_emulator/wait?for=idle&timeout=600`);
}
