import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import path from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { against, type BenchRow, each, median, medians, timed } from './bench-row.ts';
import { call, HEADERS, RICH, withFolder, withServer } from './bench-server.ts';

const ROUNDS = 25;

/** What anybody would write: one route, answered from memory. */
const BARE_EXPRESS = `
  const app = require('express')();
  app.get('/v1/models', (request, response) => response.json({ object: 'list', data: [] }));
  const server = app.listen(0, '127.0.0.1', () =>
    console.log('bare ready on http://127.0.0.1:' + server.address().port));`;

export async function startBench(): Promise<BenchRow[]> {
  return [await spawned(), await inProcess()];
}

/** From spawn to the first 200 of GET /v1/models, on a data folder that exists: medians of interleaved rounds. */
function spawned(): Promise<BenchRow> {
  return withFolder(async (folder) => {
    const program = ['dist/main.js', 'start', '--port', '0', '--data-dir', folder];
    const figures = await medians({ ours: () => timeStart(program), theirs: timeBareStart }, ROUNDS);
    return against('spawn to first 200 of GET /v1/models', { ...figures, bar: '<= 1.2', unit: ' ms' });
  });
}

/** Starts in this process, as tests make them, after the first: the median, in milliseconds. */
async function inProcess(): Promise<BenchRow> {
  const built: typeof import('../../src/index.ts') = await import(path.resolve('dist/index.js'));
  const times = await each(ROUNDS + 1, async () => {
    const began = performance.now();
    const emulator = await built.startEmulator({ port: 0 });
    const took = performance.now() - began;
    await emulator.close();
    return took;
  });
  const ratio = median(times.slice(1));
  const name = 'startEmulator() in process, the second and later';
  return { name, ours: `${ratio.toFixed(1)} ms`, theirs: '', ratio, bar: '<= 15' };
}

/** From spawn to the first 200 of a bare Express, in milliseconds. */
function timeBareStart(): Promise<number> {
  return timeStart(['-e', BARE_EXPRESS]);
}

async function timeStart(args: string[]): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const status = await requestModels(await addressOf(child));
  const took = performance.now() - began;
  child.kill('SIGTERM');
  await once(child, 'close');
  if (status !== 200) throw new Error(`GET /v1/models answered ${status}.`);
  return took;
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout?.on('data', (text) => {
      said += text;
      const url = /ready on (\S+)\n/.exec(said)?.[1];
      if (url) resolve(url);
    });
    child.once('close', () => reject(new Error(`It ended before it was ready: ${said}`)));
  });
}

function requestModels(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const answered = get(`${url}/v1/models`, { agent: false }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode));
    });
    answered.once('error', reject);
  });
}

/** What is asked first of a process, and how many starts of a bare Express it may take. */
const FIRSTS = [
  {
    name: 'first picture',
    bar: 1.5,
    path: '/v1/images/generations',
    body: { model: 'svc-image-one', prompt: 'a lighthouse at dusk' },
  },
  {
    name: 'first voice',
    bar: 1.5,
    path: '/v1/audio/speech',
    body: {
      model: 'svc-voice-one',
      input: 'The boat leaves at nine, so be on time and bring some tea.',
      voice: 'aria',
    },
  },
  {
    name: 'first clip of 5 s',
    bar: 3,
    path: '/v1/videos/generations',
    body: { model: 'svc-motion-one', prompt: 'a lighthouse at dusk', seconds: 5 },
  },
  {
    name: 'first song of 120 s',
    bar: 6,
    path: '/v1/music/generations',
    body: { model: 'svc-music-one', prompt: 'a song about the rain', seconds: 120, seed: 7 },
  },
];
/** For so long each process has been up, in milliseconds. */
const UP = 1000;
/** Between two polls, in milliseconds. */
const POLL = 5;

/** From request to file of the first render of a process that has been up for a second, against the start of a bare Express. */
export async function firstRenderBench(): Promise<BenchRow[]> {
  const firsts = FIRSTS.map((first) => [first.name, () => firstOf(first)] as const);
  const times = await medians<string>({ ...Object.fromEntries(firsts), bare: timeBareStart }, 7, 0);
  return FIRSTS.map(({ name, bar }) => {
    const figures = {
      ours: times[name] ?? Number.NaN,
      theirs: times.bare ?? Number.NaN,
      bar: `<= ${bar}`,
      unit: ' ms',
    };
    return against(`${name}, in starts of a bare Express`, figures);
  });
}

function firstOf({ path: at, body }: (typeof FIRSTS)[number]): Promise<number> {
  return withServer(RICH, async ({ url }) => {
    await rest(UP);
    return timed(() => finished(url + at, body));
  });
}

interface Job {
  id?: string;
  status?: string;
}

/** Orders, and polls where the answer is a job; throws unless it succeeds. */
export async function finished(url: string, body: object): Promise<void> {
  const answer = await fetch(url, { method: 'POST', headers: HEADERS, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url} was answered ${answer.status}: ${await answer.text()}`);
  if (answer.headers.get('content-type')?.startsWith('application/json') !== true) {
    await answer.arrayBuffer();
    return;
  }
  const ordered = (await answer.json()) as Job & { data?: Job[] };
  let job = ordered.data?.[0] ?? ordered;
  while (job.id && (job.status === 'queued' || job.status === 'processing')) {
    await rest(POLL);
    job = await call<Job>(`${url}/${job.id}`);
  }
  if (job.status !== undefined && job.status !== 'succeeded') throw new Error(`the job is ${job.status}`);
}
