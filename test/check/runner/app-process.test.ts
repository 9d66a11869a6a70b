import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { VirtualClock } from '../../../src/base/clock/virtual-clock.ts';
import { OutputBuffer } from '../../../src/base/output/output-line.ts';
import { AppProcess, FreePorts } from '../../../src/check/runner/sandbox.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';

/** An app on a free port, killed at the end of the test. Its clock stands still, so its start never times out. */
async function appOf(commandAt: (port: number) => string, isAsked = true) {
  const clock = new VirtualClock();
  clock.real = () => 0;
  const port = await new FreePorts().next();
  const url = `http://127.0.0.1:${port}/`;
  const printed = new OutputBuffer(clock);
  const ready = isAsked ? url : undefined;
  const app = new AppProcess({ command: commandAt(port), ready, port, env: process.env, clock, printed });
  onTestFinished(() => app.kill());
  return { app, clock, url, printed, fault: () => app.start().catch((error: unknown) => error) };
}

const serverAt = (port: number, before = '') =>
  `exec '${process.execPath}' -e "${before} require('node:http').createServer((_, answer) => answer.end()).listen(${port}, '127.0.0.1')"`;

it('reports an app that is not ready within 45 s, and keeps its output', async () => {
  const { app, clock, fault } = await appOf(() => `echo 'looking for the database' >&2; exec sleep 60`);
  let now = 0;
  // After the app has printed, each read of the clock is 500 ms later, so the limit comes soon.
  clock.real = () => {
    if (app.output !== '') now += 500;
    return now;
  };
  expect(await fault()).toMatchObject({ exitCode: 2, message: expect.stringContaining('not ready within 45 s.') });
  expect(app.output).toContain('looking for the database');
});

it.each([
  ['starts an app a third time that ended at its first two starts', 2, /^undefined$/],
  ['reports an app that ends at each of three starts', 9, /ended before it was ready. It printed:\nno account/],
])('%s', async (_, failures, expected) => {
  const count = path.join(emptyFolder(), 'starts');
  const failing = `
    const { appendFileSync, readFileSync } = require('node:fs');
    appendFileSync('${count}', '.');
    if (readFileSync('${count}').length <= ${failures}) { console.error('no account'); process.exit(1); }`;
  const { fault } = await appOf((port) => serverAt(port, failing), false);
  expect(String(await fault())).toMatch(expected);
  expect(readFileSync(count, 'utf8')).toBe('...');
});

it('restarts an app once if two faults kill it at the same time, and waits until it is ready', async () => {
  const { app, url, printed } = await appOf((port) => `echo begun; ${serverAt(port)}`);
  await app.start();
  for (let turn = 0; turn < 3; turn += 1) {
    const killers = [0, 1].map(async () => {
      await app.kill();
      await app.restart();
      return (await fetch(url)).status;
    });
    expect(await Promise.all(killers)).toEqual([200, 200]);
  }
  // No start found its port in use, so only one app ran at a time.
  expect(printed.lines().map(({ text }) => text)).toEqual(['begun', 'begun', 'begun', 'begun']);
});
