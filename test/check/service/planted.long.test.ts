import { spawn } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { startEmulator } from '../../../src/emulator.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { cleanEnvironment } from '../../support/run-clock.ts';
import { ephemeral, World, world } from '../../support/world.ts';
import { LIED, type Lied } from './lied.ts';
import { FREE_PATCHES, MORE_PATCHES, PAID_PATCHES, type Planted } from './planted.ts';
import { budgetRun, PricedService } from './priced-service.ts';
import { casesOf, emulatorSide, quickRun } from './quick-run.ts';
import { drift, linesOf, TwistedService } from './stand-in.ts';

const standIn = await world({ seed: 3 });
const here = await emulatorSide();

const PATCHES = [...FREE_PATCHES, ...PAID_PATCHES, ...MORE_PATCHES];

async function patched({ found, patch }: Planted): Promise<string[]> {
  const { key } = await standIn.account({ credits: 200 });
  const proxy = await TwistedService.start(standIn.url, patch);
  const only = casesOf([found.split(' ')[1] ?? '']);
  const report = await quickRun(here, { url: proxy.url, key }, { only, budget: 160 });
  return linesOf(report);
}

async function lied({ lie, field, of: operations, path }: Lied): Promise<string[]> {
  const { id: account_id, key } = await standIn.account({ credits: 200 });
  const match = { account_id, ...(path !== undefined && { path }) };
  const effect = { lie, ...(field !== undefined && { field }) };
  const rule = await standIn.control('POST', '/faults', { match, effect });
  expect(rule.status, JSON.stringify(rule.body)).toBe(201);
  const report = await quickRun(here, { url: standIn.url, key }, { only: casesOf(operations), budget: 160 });
  await standIn.control('DELETE', `/faults/${rule.body.id}`);
  return linesOf(report);
}

const PLANTED = LIED.length + PATCHES.length;

it(`finds 95 in 100 of ${PLANTED} planted differences, each with its rule or choice`, async () => {
  const missed: object[] = [];
  for (const each of LIED) {
    const found = await lied(each);
    if (!found.includes(each.found)) missed.push({ ...each, found });
  }
  for (const each of PATCHES) {
    const found = await patched(each);
    if (!found.includes(each.found)) missed.push({ ...each, found });
  }
  process.stdout.write(`drift: ${PLANTED - missed.length} of ${PLANTED} planted differences found\n`);
  expect(missed.slice(Math.floor(PLANTED / 20))).toEqual([]);
});

it('finds no difference in 200 runs against emulators of other seeds, clocks, states and strictness', async () => {
  const found: string[][] = [];
  for (let n = 0; n < 20; n += 1) found.push(...(await tenRuns(n)));
  expect(found).toHaveLength(200);
  expect(found.filter((lines) => lines.length > 0)).toEqual([]);
});

/** Ten runs against one emulator, each as another account; the first of them paid. */
async function tenRuns(n: number): Promise<string[][]> {
  const options = {
    seed: 1000 + n,
    strict: n % 2 === 1,
    demo: n % 5 === 4,
    ...(n % 3 === 2 && { profile: 'production' }),
  };
  const emulator = await startEmulator(ephemeral(options));
  const other = new World(emulator);
  if (n % 4 === 3) await other.control('PUT', '/clock', { now: `203${n % 10}-06-01T00:00:00.000Z` });
  const runs: string[][] = [];
  for (let run = 0; run < 10; run += 1) {
    const { key } = await other.account({ credits: 200, plan: ['payg', 'hobby', 'studio'][run % 3] ?? 'payg' });
    const budget = run === 0 && n % 3 !== 2 ? 60 : 0;
    runs.push(linesOf(await quickRun(here, { url: other.url, key }, { budget })));
  }
  await emulator.close();
  return runs;
}

/** The program on another version of Node, such as `node24 .node24/dist/main.js` after `npm run test:node24`. */
const { DRIFT_PROGRAM } = process.env;

it.skipIf(!DRIFT_PROGRAM)(
  'finds no difference in ten runs against an emulator on another version of Node',
  async () => {
    const [command = '', ...line] = DRIFT_PROGRAM?.split(' ') ?? [];
    const flags = ['start', '--port', '0', '--ephemeral', '--log', 'silent', '--credits', '1000'];
    const child = spawn(command, [...line, ...flags], {
      env: cleanEnvironment({}),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill());
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout.on('data', (text) => resolve(/ready on (\S+)/.exec(String(text))?.[1] ?? ''));
      child.once('close', () => reject(new Error(`${DRIFT_PROGRAM} has ended`)));
    });
    const found: string[] = [];
    for (let run = 0; run < 10; run += 1) {
      const budget = run === 0 ? 60 : 0;
      found.push(...linesOf(await quickRun(here, { url, key: 'svc_sk_local_emulator' }, { budget })));
    }
    expect(found).toEqual([]);
  },
);

it('never passes its budget in 500 runs with prices that are 1 to 10 above what is known', async () => {
  const service = await PricedService.start();
  const passed = [];
  for (let n = 0; n < 500; n += 1) {
    const { budget, charged, booked } = await budgetRun(service, n);
    if (charged > budget || charged !== booked) passed.push({ n, budget, charged, booked });
  }
  expect(passed).toEqual([]);
});

it('measures 18 credits with less than 90 requests, one a second, and deletes what it has made', async () => {
  const slowed = await world({ seed: 5 });
  const account = await slowed.account({ credits: 60 });
  const target = { url: slowed.url, key: account.key };
  const { exitCode, stderr, found, report } = await drift(emptyFolder(), target, ['--budget', '28', '--pace', '1']);
  expect([exitCode, found, stderr]).toEqual([0, [], expect.not.stringContaining('look there')]);
  const { credits, requests, seconds } = report.measured;
  process.stdout.write(`drift: ${credits} credits, ${requests} requests, ${seconds} s at 1 request a second\n`);
  expect(credits).toBe(18);
  expect(requests).toBeLessThan(90);
  expect((await account.get('/webhooks')).body.webhooks).toEqual([]);
  expect((await account.get('/storage/objects')).body.data).toEqual([]);
});
