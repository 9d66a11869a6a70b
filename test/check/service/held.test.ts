import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { Sender } from '../../../src/check/service/send-request.ts';
import { withoutKey } from '../../../src/control/openapi/known-words.ts';
import { emptyFolder, SpawnedProgram } from '../../cli/spawned-program.ts';
import { openReceiver } from '../../support/receiver.ts';
import { runCommand } from '../../support/run-command.ts';
import { world } from '../../support/world.ts';
import { ECHOED, SPELLINGS } from './hostile-answers.ts';
import { drip, raw, readReport, TwistedService, targetOf } from './stand-in.ts';

const folder = emptyFolder();
const inFolder = (name: string) => path.join(folder, name);
const standIn = await world();

/** Collects garbage, as `--expose-gc` has it. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}

it.each([
  ['is silent', () => () => undefined],
  ['drips', () => drip('HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n', 'a')],
])('ends a request to a service that %s, whatever is collected meanwhile', async (_what, twist) => {
  const service = await TwistedService.start(standIn.url, twist);
  const target = targetOf({ url: service.url, key: 'svc_sk_x' }, 300);
  const asked = new Sender(target).send({ method: 'GET', path: '/v1/models' }, {}).catch((error) => error.message);
  const collect = collector();
  const timer = setInterval(collect, 20);
  expect(await asked).toMatch(/^no answer$|^an answer that is cut$/);
  clearInterval(timer);
});

function started(service: TwistedService, key: string, report: string): SpawnedProgram {
  const args = ['drift', '--against', service.url, '--key-env', 'DRIFT_KEY', '--pace', '0', '--report', report];
  return new SpawnedProgram(args, { DRIFT_KEY: key });
}

it('reports and cleans up after a 101', async () => {
  const account = await standIn.account();
  const service = await TwistedService.start(standIn.url, (_answer, { line }) =>
    line === 'GET /v1/webhooks' ? raw('HTTP/1.1 101 Switching\nconnection: upgrade\nupgrade: none') : undefined,
  );
  const program = started(service, account.key, inFolder('switched.json'));
  expect(await program.ended()).toBe(0);
  expect(readReport(inFolder('switched.json')).report.exit).toBe(0);
  expect((await account.get('/webhooks')).body.webhooks).toEqual([]);
});

it('ends a silent request at the first signal, and itself at the second', async () => {
  const account = await standIn.account();
  const service = await TwistedService.start(standIn.url, (_answer, { line }, { received }) => {
    if (received.filter((each) => each.line === 'POST /v1/webhooks').length < 2) return undefined;
    // The first one that is held is a request of the plan, the next one that of the clean-up.
    program.child.kill(line === 'POST /v1/webhooks' ? 'SIGINT' : 'SIGTERM');
    return () => undefined;
  });
  const program = started(service, account.key, inFolder('held.json'));
  expect(await program.ended()).toBe(143);
  expect(service.received.at(-1)?.line).toBe('GET /v1/webhooks');
});

it('writes no text that spells the key, and takes no address that does', async () => {
  const spelled = Object.values(SPELLINGS);
  const kept = { word: 'succeeded', fields: { status: ['queued'] } };
  const written = JSON.stringify(withoutKey({ ...kept, there: spelled, [ECHOED]: spelled }, ECHOED));
  expect(written).toBe(JSON.stringify({ ...kept, there: spelled.map(() => '…'), '…': spelled.map(() => '…') }));
  const against = `${standIn.url}/${ECHOED}/v1`;
  const args = ['drift', '--against', against, '--key-env', 'DRIFT_KEY'];
  const { exitCode, stdout, stderr } = await runCommand(args, { DRIFT_KEY: ECHOED });
  expect([exitCode, stdout, stderr.includes(ECHOED)]).toEqual([2, '', false]);
  expect(stderr).toContain('--against has the API key in it');
});

/** A recording of one client. */
function recording(...rows: readonly object[]): string {
  const file = inFolder('hostile.ndjson');
  writeFileSync(file, rows.map((row) => JSON.stringify(row)).join('\n'));
  return file;
}

it.each(['/v1/%2e/webhooks', '/v1/webhooks/', '/V1/../v1/webhooks'])(
  'sends nothing to the endpoints of a recording, which were made by %s',
  async (route) => {
    const receiver = await openReceiver();
    const hook = { url: `${receiver.origin}/hook`, events: ['image.generation.succeeded'] };
    const drawn = { path: '/v1/images/generations', method: 'POST', status: 202 };
    const file = recording(
      {
        method: 'POST',
        url: `https://x.test${route}`,
        request: JSON.stringify(hook),
        status: 201,
        answer: '{"id":"we_aaaaaa1"}',
      },
      {
        method: 'POST',
        url: `https://x.test${route}`,
        request: JSON.stringify(hook),
        status: 400,
        answer: '{"error":{}}',
      },
      { ...drawn, request: '{"prompt":"a boat"}', answer: '{}' },
      { method: 'GET', path: '/v1/webhooks/samples?event=image.generation.succeeded', status: 200, answer: '{}' },
    );
    const { exitCode } = await runCommand(['drift', '--from', file]);
    expect([0, 1, 3]).toContain(exitCode);
    expect(receiver.requests).toEqual([]);
  },
);

it('asks the emulator for nothing beside the service, and shows nothing of a recording on a terminal', async () => {
  const file = recording(
    { method: 'POST', path: '/v1/../_emulator/reset', status: 200, answer: '{}' },
    { method: 'G\x1b[31mET', path: '/v1/\x1b]0;hunter2\x07account', status: 200, answer: '{}' },
    { method: 'GET', path: '/v1/account', status: 200, answer: { object: 'account', __proto__: 1 } },
    { method: 'GET', path: '/v1/account', status: 200, answer: '{"__proto__": {"a": 1}, "constructor": 2}' },
    { method: 'GET', path: '/v1/account', status: 200, answer: `${'['.repeat(20_000)}${']'.repeat(20_000)}` },
  );
  const { exitCode, stdout, stderr } = await runCommand(['drift', '--from', file]);
  expect([exitCode, stderr]).toEqual([1, '']);
  expect(stdout).not.toMatch(/[^\P{Cc}\n]|hunter2/u);
  expect(stdout).toContain('entry 1: POST another path: its path leads out of /v1/');
  expect(stdout).toContain('entry 2: another method another path');
  expect(stdout).toContain('entry 5: GET /v1/account: a body of more than 100 levels');
});

it('compares a line whose body nests 20,000 levels with nothing', async () => {
  const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
  const file = recording({ method: 'GET', path: '/v1/account', status: 200, answer: '{}' });
  writeFileSync(file, `{"method":"GET","path":"/v1/account","status":200,"response":{"body":${deep}}}\n`);
  const { exitCode, stdout } = await runCommand(['drift', '--from', file]);
  expect([exitCode, stdout]).toEqual([3, expect.stringContaining('a body of more than 100 levels')]);
});
