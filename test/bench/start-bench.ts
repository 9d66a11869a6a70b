import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import path from 'node:path';
import { against, type BenchRow, each, median, medians } from './bench-row.ts';
import { withFolder } from './bench-server.ts';

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
