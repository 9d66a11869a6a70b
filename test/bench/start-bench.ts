import path from 'node:path';
import { against, type BenchRow, each, median, medians } from './bench-row.ts';
import { call, during, serve, withFolder } from './bench-server.ts';

const ROUNDS = 25;

/** A minimal server: one route that returns a constant. */
const BARE_EXPRESS = `
  const app = require('express')();
  app.get('/v1/models', (request, response) => response.json({ object: 'list', data: [] }));
  const server = app.listen(0, '127.0.0.1', () =>
    console.log('bare ready on http://127.0.0.1:' + server.address().port));`;

export async function startBench(): Promise<BenchRow[]> {
  return [await spawned(), await inProcess()];
}

/** Median time from spawn to the first 200 of GET /v1/models, on an existing data folder. The two programs take turns. */
function spawned(): Promise<BenchRow> {
  return withFolder(async (folder) => {
    const program = ['dist/main.js', 'start', '--port', '0', '--data-dir', folder];
    const figures = await medians(
      { ours: () => timeStart(program), theirs: () => timeStart(['-e', BARE_EXPRESS]) },
      ROUNDS,
    );
    return against('spawn to first 200 of GET /v1/models', { ...figures, bar: '<= 1.2', unit: ' ms' });
  });
}

/** The median time of a start in this process, as tests do it, without the first start. */
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

/** From spawn to the first 200, in milliseconds. */
async function timeStart(args: string[]): Promise<number> {
  const began = performance.now();
  return during(await serve(args), async ({ url }) => {
    await call(`${url}/v1/models`, { headers: {} });
    return performance.now() - began;
  });
}
