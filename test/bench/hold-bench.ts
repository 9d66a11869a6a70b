import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { benchFolder } from './bench-folder.ts';
import type { BenchRow } from './bench-row.ts';
import { type HostileRequest, hostileRequests } from './hostile-requests.ts';

/** Each is sent so often, and its shortest hold counts: others on the machine only lengthen it. */
const TIMES = 3;
const MOST_MS = 50;

interface Seen {
  milliseconds: number;
  /** MiB. */
  rss: number;
}

/** The longest that the event loop is held by each of the worst requests, alone, collection included. */
export async function holdBench(): Promise<BenchRow[]> {
  const folder = benchFolder();
  const flags = ['--port', '0', '--data-dir', path.join(folder, 'data'), '--log', 'silent', '--credits', '1000000'];
  const server = spawn(
    process.execPath,
    ['--import', './test/bench/loop-watch.mjs', 'dist/main.js', 'start', ...flags],
    { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] },
  );
  try {
    const [line] = await once(createInterface(server.stdout as NodeJS.ReadableStream), 'line');
    const [url = ''] = /http:\/\/\S+/.exec(String(line)) ?? [];
    const wanted = process.env.HOLD ?? '';
    const rows: BenchRow[] = [];
    for (const request of hostileRequests().filter(({ name }) => name.includes(wanted))) {
      rows.push(await row(server, url, request));
    }
    return rows;
  } finally {
    server.kill('SIGTERM');
    if (server.exitCode === null) await once(server, 'exit');
    await rm(folder, { recursive: true, force: true });
  }
}

async function row(server: ChildProcess, url: string, request: HostileRequest): Promise<BenchRow> {
  const seen: Seen[] = [];
  let answered = 0;
  for (let time = 0; time < TIMES; time += 1) {
    await ask(server);
    answered = await send(url, request);
    // What is collected later is its doing too.
    await fetch(`${url}/_emulator/wait?for=idle&timeout=60`);
    seen.push(await ask(server));
  }
  const milliseconds = Math.min(...seen.map((each) => each.milliseconds));
  const rss = Math.max(...seen.map((each) => each.rss));
  return {
    name: request.name,
    ours: `${milliseconds.toFixed(0)} ms`,
    theirs: `${MOST_MS} ms (${answered}, ${rss.toFixed(0)} MiB)`,
    ratio: milliseconds / MOST_MS,
    bar: '<= 1',
  };
}

async function send(url: string, { path: at, body }: HostileRequest): Promise<number> {
  const typed: Record<string, string> = body instanceof FormData ? {} : { 'content-type': 'application/json' };
  const answer = await fetch(url + at, {
    method: 'POST',
    headers: { authorization: 'Bearer svc_sk_local_emulator', ...typed },
    body: body instanceof FormData ? body : new Uint8Array(body),
  });
  await answer.arrayBuffer();
  return answer.status;
}

async function ask(server: ChildProcess): Promise<Seen> {
  const answer = once(server, 'message');
  server.send('read');
  const [seen] = await answer;
  return seen as Seen;
}
