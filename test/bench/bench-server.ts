import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { treeMemory } from './process-memory.ts';

/** As the account that each emulator begins with. */
export const KEY = { authorization: 'Bearer svc_sk_local_emulator' };
export const HEADERS = { ...KEY, 'content-type': 'application/json' };
/** A short turn, of which the benches send thousands. */
export const CHAT = { model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Where does the road lead?' }] };
/** More than a bench spends. */
export const RICH = ['--credits', '1000000000'];

/** What a watched server reports of itself since it was last asked. */
export interface Seen {
  /** The longest that its event loop was held. */
  milliseconds: number;
  /** Resident memory, MiB. */
  rss: number;
}

/** A server in a process of its own. */
export interface BenchServer {
  url: string;
  /** Resident memory, in MiB, of the process and all that it has started. */
  memory(): number;
  /** Throws unless it is a `watchedServer`. */
  seen(): Promise<Seen>;
  close(): Promise<void>;
}

const FOLDERS = path.resolve('node_modules/.cache/bench');

/**
 * A new folder next to the project, where a data folder lies by default. In the system's temporary folder much may have been
 * deleted a moment ago, for which some file systems take longer over new files.
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

/** The built emulator on a durable folder. */
export function serverAt(folder: string, ...flags: string[]): Promise<BenchServer> {
  return serve([...START, folder, ...flags]);
}

/** The same, which also reports how long its event loop was held. */
export function watchedServer(folder: string, ...flags: string[]): Promise<BenchServer> {
  return serve(['--import', './test/bench/loop-watch.mjs', ...START, folder, ...flags], { isWatched: true });
}

/** The built emulator on a folder of its own, until `act` has ended. */
export function withServer<T>(flags: readonly string[], act: (server: BenchServer) => T): Promise<Awaited<T>> {
  return withFolder(async (folder) => during(await serverAt(path.join(folder, 'data'), ...flags), act));
}

export function withWatched<T>(flags: readonly string[], act: (server: BenchServer) => T): Promise<Awaited<T>> {
  return withFolder(async (folder) => during(await watchedServer(path.join(folder, 'data'), ...flags), act));
}

/** A server is closed when `act` has ended. */
export async function during<T>(server: BenchServer, act: (server: BenchServer) => T): Promise<Awaited<T>> {
  try {
    return await act(server);
  } finally {
    await server.close();
  }
}

/** A stock Express that answers these bytes, and streams these events. */
export function bareServer(answer: Buffer, events: readonly string[]): Promise<BenchServer> {
  const env = { ANSWER: answer.toString('base64'), EVENTS: Buffer.from(JSON.stringify(events)).toString('base64') };
  return serve(['test/bench/bare-express.mjs'], { env: { ...env, NODE_ENV: 'production' } });
}

/** The nearest other emulator, answering this text. */
export function aimockServer(content: string): Promise<BenchServer> {
  return serve(['test/bench/aimock-server.mjs'], { env: { CONTENT: Buffer.from(content).toString('base64') } });
}

/** Resolves when it is ready. */
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
      // Else the process lives as long as it has a parent to report to.
      if (child.connected) child.disconnect();
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

/** Asks for JSON, with a body or without; throws unless it is answered 2xx. */
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

/** Resolves when nothing is under way any more. */
export async function idle({ url }: Pick<BenchServer, 'url'>): Promise<void> {
  await call(`${url}/_emulator/wait?for=idle&timeout=600`);
}
