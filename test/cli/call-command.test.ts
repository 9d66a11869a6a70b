import { expect, it } from 'vitest';
import { CALLABLE_OPERATIONS } from '../../src/control/callable-operations.ts';
import { freePort } from '../support/free-port.ts';
import { openReceiver } from '../support/receiver.ts';
import { runCommand } from '../support/run-command.ts';
import { world } from '../support/world.ts';
import { balance, chat, fileOf } from './spawned-program.ts';

/** An emulator; `run` runs `svc-emulator call` on it, and `json` returns the JSON that a successful call prints. */
async function running(config: Parameters<typeof world>[0] = {}) {
  const here = await world({ credits: 100, ...config });
  const { port } = new URL(here.url);
  const run = (...line: string[]) => runCommand(['call', ...line, '--port', port]);
  const json = async (...line: string[]) => {
    const { exitCode, stdout, stderr } = await run(...line);
    expect([exitCode, stderr]).toEqual([0, '']);
    return stdout === '' ? undefined : JSON.parse(stdout);
  };
  return { here, url: here.url, run, json };
}

it('resets a running emulator, and prints nothing for an empty response [I151]', async () => {
  const { url, json } = await running();
  await chat(url);
  expect(await json('resetEmulator')).toBeUndefined();
  expect(await balance(url)).toBe(100);
});

it('creates an account with a text name and numeric credits, and adds a key [I151]', async () => {
  const { url, json } = await running();
  const opened = await json('createAccount', 'name=007', 'plan=hobby', 'credits=70');
  expect(opened).toMatchObject({ name: '007', plan: 'hobby', credits: 70 });
  const { api_key: key } = await json('addKey', `id=${opened.id}`);
  const response = await fetch(`${url}/v1/account`, { headers: { authorization: `Bearer ${key}` } });
  expect(await response.json()).toMatchObject({ credits: 70 });
  const { data } = await json('listAccounts', 'limit=1');
  expect(data).toMatchObject([{ id: opened.id }]);
});

it('sends null for a required field that accepts it, such as the mode of setProgression', async () => {
  const { json } = await running();
  const { id } = await json('createAccount', 'name=null');
  expect((await json('listAccounts', 'limit=1')).data).toMatchObject([{ id, name: 'null' }]);
  await json('setProgression', 'mode=manual', `account_id=${id}`);
  expect(await json('setProgression', 'mode=null', `account_id=${id}`)).toEqual({ mode: 'render' });
});

it('reads one field (`name=@file`) or all fields (`@file`) of an operation from a file', async () => {
  const { json } = await running();
  const answers = fileOf('answers.json', JSON.stringify([{ match: { message: 'ping' }, answer: { text: 'pong' } }]));
  expect((await json('addFixtures', `fixtures=@${answers}`)).data).toHaveLength(1);
  const [{ workspace_id: workspace }] = (await json('listAccounts')).data;
  const steps = [{ nodeId: 'words', type: 'text', params: { prompt: 'Tell of the sea.' } }];
  const flow = fileOf('flow.json', JSON.stringify({ name: 'daily', steps }));
  const { id } = await json('createFlow', `@${flow}`, `workspace_id=${workspace}`);
  const { id: run } = await json('startRun', `id=${id}`);
  expect(await json('waitFor', `for=run:${run}`, 'timeout=120')).toMatchObject({ status: 'done' });
});

it('moves the clock with call, and names fields without effect on standard error', async () => {
  const { run, json } = await running();
  const { now: before } = await json('setClock', 'frozen=true');
  const { now: after } = await json('advanceClock', 'seconds=3600');
  expect(Date.parse(after) - Date.parse(before)).toBe(3_600_000);
  const { stderr } = await run('waitFor', 'for=idle', 'after=evt_1');
  expect(stderr).toBe('Had no effect: after (for=idle)\n');
});

it('prints an HTML response without conversion', async () => {
  const { run } = await running();
  const { exitCode, stdout } = await run('saveTrace');
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^<!doctype html>\n/)]);
});

it('lists every operation by subject, with its summary', async () => {
  const { exitCode, stdout } = await runCommand(['call', '--list']);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^clock\n {2}getClock +\S.*\n(?: {2}\w+ +\S.*\n)+\n/m);
  for (const { name } of CALLABLE_OPERATIONS) expect(stdout).toMatch(`  ${name} `);
  expect(stdout.split('\n').filter((line) => line.startsWith('  '))).toHaveLength(CALLABLE_OPERATIONS.length);
});

it('lists the fields of each operation, with their types', async () => {
  const { exitCode, stdout } = await runCommand(['call', 'topUpCredits', '--help']);
  expect([exitCode, stdout]).toEqual([
    0,
    expect.stringMatching(
      /^topUpCredits: POST \/_emulator\/accounts\/\{id\}\/credits\n.+\n\nFields:\n {2}id \(string, required\) .+\n {2}amount \(integer, required\) .+\n$/,
    ),
  ]);
  for (const { name } of CALLABLE_OPERATIONS) {
    expect((await runCommand(['call', name, '--help'])).stdout).toMatch(
      /\n(?:Fields:\n {2}[\w$]+ \(|It has no fields\.\n)/,
    );
  }
});

it.each([
  ['', /^svc-emulator: Name an operation, .*call --list/],
  ['listModels', /^svc-emulator: listModels is an operation of the service.*curl -X GET .*\/v1\/models'$/m],
  ['creatAccount', /There is no operation creatAccount\. Did you mean createAccount\?.*call --list/],
  ['createAccount credit=5', /Unknown field credit\. Did you mean credits\?.*call createAccount --help/],
  ['createAccount credits=many', /credits is "many"; expected a whole number\./],
  ['createAccount credits=-1', /credits must be .*not -1/],
  ['createAccount plan=gold', /plan must be .*not "gold"/],
  ['createAccount name', /"name" is not a field; expected name=value, or @FILE/],
  ['createFault effect={"status":', /effect is "\{\\"status\\":"; expected a JSON object: Unexpected end/],
  [
    'createFault effect=@none.json',
    /effect names the file "none\.json", which cannot be read: there is no such file or folder\./,
  ],
  ['createFault @/dev/zero', /"\/dev\/zero", which cannot be read: it is a pipe or a device/],
  ['createFault @package.json', /Unknown field/],
  ['createFault @README.md', /README\.md is not JSON/],
  ['showAccount', /id is missing/],
  ['deleteFault id=', /id is empty/],
  ['deleteFault id=.', /id is empty, "\." or "\.\."; expected the id or name of one record/],
  ['removeSnapshot name=..', /name is empty/],
  ['createAccount __proto__=x', /Unknown field __proto__/],
  ['createAccount __proto__={"credits":7}', /Unknown field __proto__/],
  ['createAccount __proto__.credits=7', /Unknown field __proto__/],
  ['createAccount constructor=x', /Unknown field constructor/],
  ['createAccount toString={}', /Unknown field toString/],
  [
    `createAccount @${fileOf('prototype.json', '{"__proto__": {"name": "x"}, "credits": 7}')}`,
    /Unknown field __proto__/,
  ],
])('exits with 2 for %j, and sends nothing [I150]', async (line, told) => {
  const { here, run } = await running();
  const { exitCode, stdout, stderr } = await run(...line.split(' ').filter(Boolean));
  expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringMatching(told)]);
  expect((await here.control('GET', '/record')).body.data).toEqual([]);
});

it.each([
  ['showAccount id=acct_none', /acct_none/],
  ['explainRequest id=req_none', /There is no request "req_none" in the journal/],
  [
    'waitFor for=event:music.generation.succeeded timeout=0',
    /event:music\.generation\.succeeded did not come within 0 s/,
  ],
])('exits with 1 if the emulator rejects %j, and prints its message', async (line, told) => {
  const { run } = await running();
  const { exitCode, stdout, stderr } = await run(...line.split(' '));
  expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringMatching(told)]);
});

it.each([['call', 'getClock'], ['listen']])(
  'exits with 1 for %s if no emulator responds, and says how to start or name one [I202]',
  async (...line) => {
    const port = `${await freePort()}`;
    const { exitCode, stderr } = await runCommand([...line, '--port', port]);
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      `svc-emulator: No emulator responds at http://127.0.0.1:${port}. Start one with svc-emulator start, or set its address with --host and --port (SVC_EMULATOR_HOST, SVC_EMULATOR_PORT).\n`,
    );
  },
);

it.each([
  ['a page', 200, 'text/html', '<!doctype html>'],
  ['other JSON', 200, 'application/json', '{"hello": "world"}'],
  ['JSON that is cut', 200, 'application/json', '{"now": '],
  ['an error of its own', 404, 'text/plain', 'not here'],
])(
  'exits with 1 and prints no stack trace if another program at the address returns %s',
  async (_, status, type, body) => {
    const { port } = await openReceiver({ status, headers: { 'content-type': type }, body });
    const { exitCode, stdout, stderr } = await runCommand(['call', 'getClock', '--port', `${port}`]);
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^svc-emulator: The server at http:\/\/127\.0\.0\.1:\d+ is not svc-emulator.+\n$/);
  },
);

it('finds the emulator by the variable SVC_EMULATOR_PORT [I202]', async () => {
  const { url } = await running();
  const { exitCode } = await runCommand(['call', 'getClock'], { SVC_EMULATOR_PORT: new URL(url).port });
  expect(exitCode).toBe(0);
});
