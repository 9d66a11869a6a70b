import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { VERSION } from '../../../src/base/package/package-folder.ts';
import type { CheckReport } from '../../../src/check/report.ts';
import { encodeToken } from '../../../src/check/token.ts';
import { ALL, checked, idsIn, reportIn } from '../../check/checked.ts';
import { type Answer, type CommandRun, commandHere } from '../../support/command-here.ts';
import { openReceiver } from '../../support/receiver.ts';
import { runCommand } from '../../support/run-command.ts';
import { emptyFolder, folderOf, SpawnedProgram } from '../spawned-program.ts';

const AGAIN: Answer = { status: 500, headers: {}, body: undefined };

const RIGHT = {
  lost: undefined as Answer | undefined,
  isRefused: ({ status }: Answer) => status === 402,
  wait: ({ headers }: Answer) => 1000 * Number(headers['retry-after'] ?? 0) + 60,
  expected(answer: Answer | undefined, _run: CommandRun): void {
    assert.notEqual(answer?.status, 500, 'it went on failing');
    if (answer?.status !== 200) return;
    assert.deepEqual(answer.body.usage, { credits_spent: 1, credits_remaining: 99_999 });
  },
};

/** A client that sends one chat and checks its cost. `wrong` replaces parts of it by wrong ones. */
function client(wrong: Partial<typeof RIGHT> = {}) {
  const { lost, isRefused, wait, expected } = { ...RIGHT, ...wrong };
  return async (run: CommandRun) => {
    let answer: Answer | undefined;
    for (let turn = 0; turn < 4; turn += 1) {
      answer = await run.chat().catch(() => lost);
      if (!answer || answer.status < 400 || isRefused(answer)) break;
      await pause(wait(answer));
    }
    expected(answer, run);
  };
}

// Each test runs a command many times, perhaps on a busy machine.
vi.setConfig({ testTimeout: 240_000 });

it('fails two checks for a client that retries after a 402, and that does not wait before it retries after a 429', async () => {
  const wrong = client({ isRefused: () => false, wait: () => 1 });
  const { exitCode, stdout, stderr, report } = await checked(wrong, [...ALL, '--only', 'empty_balance,status:429']);
  const ids = ['stops-without-credits', 'honours-retry-after'];
  expect([exitCode, idsIn(report, 'failed')]).toEqual([1, ids]);
  expect(report.findings.map(({ kind, check }) => [kind, check])).toEqual(ids.map((id) => ['fault', id]));
  for (const { check: id, token, replay, state } of report.findings) {
    expect([state, replay]).toEqual(['new', expect.stringContaining(token)]);
    expect(report.checks.find((check) => check.id === id)?.findings).toEqual([token]);
    expect(stdout).toMatch(new RegExp(`^FAILED ${id}$`, 'm'));
    expect(stdout).toContain(`    Replay: ${replay}`);
    const [, title] = new RegExp(`^Tests failed, trying again to confirm: (${id} under .+)$`, 'm').exec(stderr) ?? [];
    expect(stderr).toContain(`Found: ${title}\n  Replay: `);
  }
  expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
});

const FAILING = '[[fail]] A lantern';

/** A client that orders something and fails if it receives an event of a type other than `known`. */
const receiver = (known: string, path: string, order: object) => async (run: CommandRun) => {
  const { origin, requests } = await openReceiver({ status: 204 });
  await run.call('POST', '/v1/webhooks', { url: origin, events: [known] });
  await run.call('POST', path, order);
  await run.call('GET', '/_emulator/wait?for=idle');
  const types = requests.map(({ body }) => JSON.parse(body).type);
  assert.deepEqual(types, [known]);
};

it.each([
  ['a song', receiver('music.generation.failed', '/v1/music/generations', { prompt: FAILING, seconds: 30, n: 1 })],
  ['an image', receiver('image.generation.succeeded', '/v1/images/generations', { prompt: 'A lantern' })],
])(
  'fails only the check tolerates-changes if a test of %s fails because of an unknown event type',
  async (_, receiving) => {
    const { exitCode, report } = await checked(receiving, [...ALL, '--only', 'unknown_type']);
    expect(report.findings).toMatchObject([{ kind: 'fault', check: 'tolerates-changes' }]);
    expect([exitCode, idsIn(report, 'failed')]).toEqual([1, ['tolerates-changes']]);
  },
);

it('passes a correct client with thorough tests, and lists what was not tested', async () => {
  const few = [...ALL, '--only', 'lost_response,status:503,empty_balance,extra_field'];
  const { exitCode, stdout, stderr, report } = await checked(client(), few);
  expect([exitCode, report.findings, idsIn(report, 'failed')]).toEqual([0, [], []]);
  expect(idsIn(report, 'passed')).toEqual([
    ...['pays-once', 'stops-without-credits', 'honours-retry-after', 'survives-lost-messages'],
    'tolerates-changes',
  ]);
  for (const { id, state, why, next } of report.checks) {
    if (state !== 'not_tested') continue;
    expect([id, why, next]).toEqual([id, expect.stringMatching(/\S/), expect.stringMatching(/ check --/)]);
  }
  expect(report.spend).toMatchObject({ credits: 1 });
  expect(stdout).not.toContain('FAILED');
  // The plan, the last line and the report count the same scenarios.
  const { planned, run } = report.measured;
  expect(run).toBe(planned);
  expect(stderr).toMatch(
    new RegExp(`^${planned} scenarios, about \\d+ (?:seconds?|minutes?); then pairs of faults$`, 'm'),
  );
  expect(stdout).toMatch(
    new RegExp(
      `^Tried ${planned} of ${planned} scenarios, and \\d+ more at other sites or in pairs, in \\d+ s\\.$`,
      'm',
    ),
  );
  expect(stderr).toMatch(
    new RegExp(`^checking: ${planned} of ${planned} scenarios and \\d+ pairs? of faults, 0 findings$`, 'm'),
  );
});

it('reports no finding for a test that expects success of a request that the service may reject, but lists the test once', async () => {
  const expecting = client({ expected: (answer) => assert.equal(answer?.status, 200, 'no answer came') });
  const { exitCode, stdout, report } = await checked(expecting, [...ALL, '--only', 'empty_balance']);
  expect([exitCode, report.findings]).toEqual([0, []]);
  expect(report.expects_success).toMatchObject([{ fault: 'empty_balance at POST /v1/chat/completions #1' }]);
  expect(
    stdout.match(/^Expects success, nothing to fix: .*no answer came.* under empty_balance at POST \S+ #\d+ /gm),
  ).toHaveLength(1);
});

it('reports an uncaught error of the app, even under a fault that makes the service reject requests', async () => {
  const careless = client({ expected: (answer) => answer?.body.choices[0].message });
  const { exitCode, report } = await checked(careless, [...ALL, '--only', 'empty_balance']);
  expect([exitCode, idsIn(report, 'failed')]).toEqual([1, ['stops-without-credits']]);
});

/** A client that reports a lost chat. `onBoth` runs if the account cannot be read either. */
const reporting = (onBoth: (run: CommandRun, key: string) => Promise<void>) => (run: CommandRun) =>
  run.test('reports that a reply was lost', async (key) => {
    const chat = () => run.chat(key).catch(() => undefined);
    let answer = await chat();
    while (answer?.status === 500) answer = await chat();
    const account = await run.call('GET', '/v1/account', undefined, key).catch(() => undefined);
    if (!answer && account?.status !== 200) await onBoth(run, key);
    if (!answer) throw new Error('fetch failed');
  });

it('reports no finding under a pair of faults if the test expects success and also fails under one of these faults alone', async () => {
  const work = reporting(async () => assert.fail('The balance is unknown.'));
  const { exitCode, report } = await checked(work, [...ALL, '--only', 'lost_response,status:500']);
  expect([exitCode, report.findings]).toEqual([0, []]);
  expect(report.expects_success).toHaveLength(1);
});

it('reports a double payment that only two faults together cause, even if one of them alone fails the same test', async () => {
  const work = reporting(async (run, key) => void (await run.chat(key)));
  const { exitCode, report } = await checked(work, [...ALL, '--only', 'lost_response,status:500']);
  expect([exitCode, report.findings.map(({ check }) => check)]).toEqual([1, ['pays-once']]);
  expect(report.findings[0]?.title).toMatch(/^POST .*; GET |^GET .*; POST /);
  const token = report.findings[0]?.token ?? '';
  expect(token.length).toBeLessThanOrEqual(200);
  expect((await checked(work, ['--replay', token])).exitCode).toBe(1);
});

it('names a failed test with its file and line, fails its replay, and passes the replay after a fix', async () => {
  let isOpen = false;
  const suite = (run: CommandRun) =>
    run.test('reads the cost of a message', async (key) => {
      const { usage, svc_note: note } = (await run.chat(key)).body;
      assert.deepEqual([usage.credits_spent, isOpen ? undefined : note], [1, undefined]);
    });
  const folder = emptyFolder();
  const { exitCode, report } = await checked(suite, ['--only', 'extra_field', ...ALL], { folder });
  expect([exitCode, idsIn(report, 'failed')]).toEqual([1, ['tolerates-changes']]);
  const [found] = report.findings;
  expect(found).toMatchObject({ kind: 'fault', test: { file: 'suite.mjs', line: expect.any(Number) } });
  expect(found?.error).toContain("+ 'A field that is newer than your client.'; - undefined");
  const replay = ['--replay', found?.token ?? '', '--trace', 'run.html'];
  expect((await checked(suite, replay, { folder })).exitCode).toBe(1);
  expect(readFileSync(path.join(folder, 'run.html'), 'utf8')).toMatch(/^<!doctype html>/);
  isOpen = true;
  expect(await checked(suite, replay.slice(0, 2))).toMatchObject({
    exitCode: 0,
    stdout: 'Passed: the finding does not occur.\n',
  });
});

it('passes no check and exits with 3 if the command passes although every request fails, unless --assert checks the result', async () => {
  const careless = (run: CommandRun) => run.chat().catch(() => undefined);
  const { exitCode, stderr, report } = await checked(careless, [...ALL, '--only', 'empty_balance']);
  expect([exitCode, report.findings, report.dead_tests]).toEqual([3, [], ['the command']]);
  expect(stderr).toContain('The command passes although every request fails, so it proves nothing');
  expect(idsIn(report, 'passed')).toEqual([]);
  const asserted = await checked(careless, [...ALL, '--only', 'empty_balance', '--assert', 'true']);
  expect([asserted.exitCode, asserted.report.dead_tests]).toEqual([0, []]);
});

/** The token of a finding with the first fault at the first chat and the second at the second chat. */
function chatToken(...names: string[]): string {
  const faults = names.map((fault, at) => ({ site: `POST /v1/chat/completions #${at + 1}`, fault }));
  return encodeToken({ version: VERSION, seed: 1, check: 'pays-once', scene: { kind: 'fault', command: '', faults } });
}

it('passes the replay of a finding with faults at two requests if the second request no longer occurs', async () => {
  expect(await checked(client(), ['--replay', chatToken('lost_response', 'empty_balance')])).toMatchObject({
    exitCode: 0,
    stdout: 'Passed: the finding does not occur.\n',
  });
});

const asking = (run: CommandRun) => run.call('GET', '/v1/models');

function nowAndThen() {
  let runs = 0;
  return async (run: CommandRun) => {
    runs += 1;
    const isFirst = runs === 1;
    await asking(run);
    assert.ok(isFirst, 'timed out after 5000 ms');
  };
}

async function broken(run: CommandRun) {
  await asking(run);
  assert.equal(1, 2, 'one is two');
}

const UNEVEN = /baseline runs differ: .*\n {2}FAILED: .*timed out after 5000 ms\n.*load was .*--jobs 1\./;

it.each([
  ['fails by itself', () => broken, [], 2, /fails by itself: fix that first\.\n[\s\S]*one is two/],
  ['fails now and then', nowAndThen, [], 2, UNEVEN],
  ['never reaches the service', () => async () => {}, [], 3, /made no request[^\n]*\n[^\n]*SVC_BASE_URL/],
])('reports a command that %s, and passes no check', async (_title, work, args, code, said) => {
  const { exitCode, stdout, stderr, report } = await checked(work(), args);
  expect(exitCode).toBe(code);
  expect(stderr).toMatch(said);
  expect(stdout).toBe('');
  expect(report).toMatchObject({ exit: code, error: expect.any(String), findings: [] });
  expect(idsIn(report, 'passed')).toEqual([]);
});

it('rejects a check inside a run of check', async () => {
  const ended = await runCommand(['check', '--', 'true'], { SVC_CHECK: '1' }, emptyFolder());
  expect(ended).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Skip it if SVC_CHECK is 1') });
});

it('passes the charges and balances of all accounts to the command of --assert, and reports its output if it fails', async () => {
  const folder = folderOf({ 'world.json': { accounts: [{ name: 'Guest', credits: 5 }] } });
  const says = `cat > books.json; grep -o '"balance":[0-9]*' books.json | head -1; exit 1`;
  const only = ['--budget', '0', '--jobs', '1', '--only', 'empty_balance', '--world', 'world.json', '--assert', says];
  const work = async (run: CommandRun) => {
    await run.test('asks the service for a reply', async (key) => void (await run.chat(key)));
    await run.chat();
  };
  const { exitCode, stderr } = await checked(work, only, { folder });
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/The command passes, but .*\n {2}FAILED --assert failed with exit code 1: "balance":99999/);
  const { accounts, charges, ...books } = JSON.parse(readFileSync(path.join(folder, 'books.json'), 'utf8'));
  expect(books).toMatchObject({ balance: 99_999, refunds: [], jobs: [], deliveries: [] });
  const paid = charges.map((row: { account_id: string; amount: number }) => [row.account_id, row.amount]);
  const left = new Map(accounts.map((row: { account_id: string; balance: number }) => [row.account_id, row.balance]));
  expect(paid.map(([id, amount]: [string, number]) => [left.get(id), amount]).sort()).toEqual([
    [999, -1],
    [99_999, -1],
  ]);
});

it('prints a mistake that the baseline run makes twice as one finding, with its test and a replay command', async () => {
  const impatient = async (run: CommandRun) => {
    await run.test('waits for its turn', async (key) => {
      for (const line of ['one', 'two']) {
        await run.call('POST', '/_emulator/faults', {
          match: { path: '/v1/chat/completions', contains: line },
          effect: { status: 429, retry_after: 1 },
        });
        const messages = [{ role: 'user', content: line }];
        for (let status = 0; status !== 200; ) ({ status } = await run.chat(key, { messages }));
      }
    });
  };
  const { exitCode, stderr, report } = await checked(impatient, [...ALL, '--only', 'honours-retry-after']);
  expect(report.findings).toMatchObject([
    { title: 'ignored_retry_after in the baseline run', test: { name: 'waits for its turn' } },
  ]);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    /^Found: honours-retry-after: ignored_retry_after in the baseline run, test "waits for its turn".*\.\n {2}Replay: .* --replay c1-/m,
  );
});

it('reports no finding if a client disconnects before the response and reads again, as a restarted app does', async () => {
  const restarted = (run: CommandRun) =>
    run.test('reads again after a restart', async (key) => {
      const headers = { authorization: `Bearer ${key}` };
      const left = get(`${run.env.SVC_BASE_URL}/v1/account`, { headers, agent: false });
      left.on('error', () => {});
      await pause(20);
      left.destroy();
      for (let status = 503; status === 503; ) {
        const answer = await run.call('GET', '/v1/account', undefined, key);
        status = answer.status;
        await pause(1000 * Number(answer.headers['retry-after'] ?? 0));
      }
    });
  const { exitCode, report } = await checked(restarted, [...ALL, '--only', 'status:503']);
  expect([exitCode, report.findings]).toEqual([3, []]);
});

it('applies no fault to the requests of --assert', async () => {
  const get = `fetch(process.env.SVC_BASE_URL + '/v1/models', { headers: { authorization: 'Bearer ' + process.env.SVC_API_KEY } })`;
  const says = `node -e "${get}.then(({ status }) => process.exit(status === 200 ? 0 : 1))"`;
  const { report } = await checked(client(), [...ALL, '--only', 'status:503', '--assert', says]);
  expect(report.findings).toEqual([]);
  expect(report.checks.find(({ id }) => id === 'honours-retry-after')).toMatchObject({ state: 'passed' });
});

it('compares the cost and the findings with its baseline', async () => {
  const [wrong, folder] = [client({ lost: AGAIN }), emptyFolder()];
  const only = [...ALL, '--only', 'lost_response,spend-unchanged'];
  const first = await checked(wrong, [...only, '--update-baseline'], { folder });
  const spend = first.report.checks.find(({ id }) => id === 'spend-unchanged');
  expect([first.exitCode, first.report.exit, spend?.why]).toEqual([0, 0, expect.stringContaining('the next run')]);
  const file = path.join(folder, 'svc-check.json');
  const known = JSON.parse(readFileSync(file, 'utf8'));
  expect(known).toMatchObject({ spend: { credits: 1 }, findings: [{ check: 'pays-once' }] });
  const write = (more: object) => writeFileSync(file, JSON.stringify({ ...known, ...more }));
  for (const [accepted, fault] of [
    [{ finding: '*' }, 'why: expected a text'],
    [{ finding: '*', why: 'read by hand', until: '12/31/2099' }, 'until: expected a date such as 2027-01-31'],
  ] as const) {
    write({ accepted: [accepted] });
    const { exitCode, stderr } = await runCommand(['check', '--', 'true'], {}, folder);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`accepted[0].${fault}`)]);
  }
  write({ spend: { ...known.spend, credits: 9 } });
  const dearer = await checked(wrong, only, { folder });
  expect(dearer.report.checks[0]).toMatchObject({ state: 'passed', why: '1 known finding' });
  expect([dearer.exitCode, idsIn(dearer.report, 'failed')]).toEqual([1, ['spend-unchanged']]);
  const finding = dearer.report.findings.find(({ state }) => state === 'new');
  expect(dearer.report.findings.map(({ state }) => state).sort()).toEqual(['known', 'new']);
  expect(finding?.happened[0]).toContain('9 -> 1 credit ');
  for (const { token } of dearer.report.findings)
    expect(await checked(wrong, ['--replay', token], { folder })).toMatchObject({ exitCode: 1, report: { exit: 1 } });
});

it.each(['before', 'after'])(
  'says that no fault can be tried if the tests reset the emulator %s their requests',
  async (when) => {
    const resetting = async (run: CommandRun) => {
      if (when === 'before') await run.call('POST', '/_emulator/reset');
      await run.chat();
      if (when === 'after') await run.call('POST', '/_emulator/reset');
    };
    const { exitCode, stderr, report } = await checked(resetting, [...ALL, '--only', 'lost_response,spend-unchanged']);
    expect([exitCode, report.measured, report.findings]).toEqual([3, expect.objectContaining({ run: 0 }), []]);
    expect(stderr).toContain('The command resets the emulator or restores a snapshot. That also removes the faults');
    expect(stderr).not.toContain('made no request');
    const cost = await checked(resetting, [...ALL, '--only', 'spend-unchanged']);
    expect([cost.exitCode, cost.report.spend]).toEqual([0, expect.objectContaining({ charges: 1, credits: 1 })]);
  },
);

it('reports that a finding was not tried if the budget ends its replay', async () => {
  let runs = 0;
  const hanging = async (run: CommandRun) => {
    runs += 1;
    await run.chat().catch(() => AGAIN);
    if (runs > 1) await pause(60_000);
  };
  const ended = await checked(hanging, ['--replay', chatToken('lost_response'), '--budget', '3s']);
  expect(ended).toMatchObject({ exitCode: 3, stdout: '', report: { exit: 3, findings: [], measured: { run: 0 } } });
  expect(ended.stderr).toContain('The finding was not tried: the time ran out');
});

it('does not pass a check if its fault was applied to nothing in the tests', async () => {
  const refused = async (run: CommandRun) => {
    const { body: account } = await run.call('POST', '/_emulator/accounts', { credits: 0 });
    assert.equal((await run.chat(account.api_key)).status, 402);
  };
  const ended = await checked(refused, [...ALL, '--only', 'extra_field']);
  const check = ended.report.checks.find(({ id }) => id === 'tolerates-changes');
  expect(check).toMatchObject({
    state: 'not_tested',
    tried: { run: 0, of: 1 },
    why: 'nothing met extra_field at responses',
  });
  expect(ended).toMatchObject({ exitCode: 3, report: { measured: { planned: 1, run: 0 } } });
  expect(ended.stderr).toContain('tried: nothing in the tests met the faults of the others.');
});

it('applies a fault to a file of one account after a file of another account was read', async () => {
  const selling = async (run: CommandRun) => {
    const open = async () => (await run.call('POST', '/_emulator/accounts', { credits: 100 })).body.api_key;
    const [one, other] = [await open(), await open()];
    const read = (url: string, key: string) => run.call('GET', url.slice(run.env.SVC_BASE_URL?.length), undefined, key);
    const song = { style: 'slow piano', instrumental: true, n: 1 };
    let job = (await run.call('POST', '/v1/music/generations', song, one)).body.data[0];
    while (!job.result_url) job = (await run.call('GET', `/v1/music/generations/${job.id}`, undefined, one)).body;
    await read(job.result_url, one);
    const order = { prompt: 'a cat', response_format: 'url' };
    const image = await run.call('POST', '/v1/images/generations', order, other);
    assert.equal((await read(image.body.data[0].url, other)).headers['content-type'], 'image/png');
  };
  const { exitCode, stderr, report } = await checked(selling, [...ALL, '--only', 'wrong_type']);
  expect([exitCode, report.findings.map(({ title }) => title)]).toEqual([
    1,
    ['GET /cdn (image) #1 is served with a wrong Content-Type'],
  ]);
  expect(stderr).toContain('Found: verifies-files under wrong_type at GET /cdn (image) #1');
});

it('sets variables such as SVC_BASE_URL and PORT, does not reveal the fault to the command, and gives each check the same result each time', async () => {
  const seen: CommandRun['env'][] = [];
  const curious = (run: CommandRun) => {
    seen.push(run.env);
    return client()(run);
  };
  const args = [...ALL, '--only', 'empty_balance'];
  const met = await checked(curious, [...args, '--require', 'stops-without-credits']);
  expect(seen.length).toBeGreaterThan(3);
  for (const env of seen) {
    expect(env).toMatchObject({ SVC_CHECK: '1', SVC_BASE_URL: expect.any(String), PORT: expect.any(String), CI: '1' });
    expect(existsSync(env.SVC_CHECK_DIR ?? '')).toBe(false);
  }
  expect(JSON.stringify(seen)).not.toContain('empty_balance');
  // Here a check that --require names has not passed.
  const missing = await checked(client(), [...args, '--require', 'stops-without-credits,survives-restart']);
  expect([met.exitCode, missing.exitCode]).toEqual([0, 1]);
  expect(missing.stdout).toMatch(/^--require survives-restart: not tested \(/m);
  const states = ({ checks }: CheckReport) => checks.map(({ id, state }) => `${id} ${state}`);
  expect(states(missing.report)).toEqual(states(met.report));
});

it('keeps the tests from changing the summary, output and environment files of the CI job', async () => {
  const folder = emptyFolder();
  const names = ['GITHUB_STEP_SUMMARY', 'GITHUB_OUTPUT', 'GITHUB_ENV', 'GITHUB_PATH', 'GITHUB_STATE', 'FORGEJO_ENV'];
  const env = Object.fromEntries(names.map((name) => [name, path.join(folder, name)]));
  for (const [name, file] of Object.entries(env)) writeFileSync(file, `${name} of the caller\n`);
  const reporting = async (run: CommandRun) => {
    for (const name of names) writeFileSync(run.env[name] ?? '', 'FAILED', { flag: 'a' });
    await client()(run);
  };
  const { exitCode } = await checked(reporting, [...ALL, '--only', 'empty_balance'], { env });
  expect(exitCode).toBe(0);
  for (const [name, file] of Object.entries(env)) expect(readFileSync(file, 'utf8')).toBe(`${name} of the caller\n`);
});

it('lists the failed and passed checks of two shards in one merged report', async () => {
  const [folder, command] = [emptyFolder(), await commandHere(client({ lost: AGAIN }))];
  const args = [...ALL, '--only', 'lost_response,empty_balance'];
  for (const shard of ['1/2', '2/2']) {
    const file = `part-${shard[0]}.json`;
    await runCommand(['check', ...args, '--shard', shard, '--report', file, '--', ...command], {}, folder);
  }
  const merging = ['check', 'merge', 'part-1.json', 'part-2.json', '--report', 'merged.json', '--report', 'merged.md'];
  const ended = await runCommand(merging, {}, folder);
  const merged = reportIn(folder, 'merged.json');
  expect([ended.exitCode, idsIn(merged, 'failed')]).toEqual([1, ['pays-once']]);
  expect(idsIn(merged, 'passed')).toEqual(expect.arrayContaining(['stops-without-credits']));
  expect(merged.findings).toMatchObject([{ kind: 'fault', check: 'pays-once' }]);
  expect(readFileSync(path.join(folder, 'merged.md'), 'utf8')).toMatch(/^### Check: .*1 failed/);
});

it('writes every report format without secrets of the environment, and HTML as one file', async () => {
  const folder = emptyFolder();
  const telling = (run: CommandRun) =>
    run.chat().catch(() => {
      const { SVC_API_KEY: key, SHOP_TOKEN: token } = run.env;
      const err = `Error: no answer with ${token}, ${JSON.stringify({ token })} and ${key}\n`;
      Object.assign(run, { err, end: 'exit 1' });
    });
  const files = ['json', 'html', 'md', 'xml'].map((kind) => `found.${kind}`);
  const reports = files.slice(1).flatMap((file) => ['--report', file]);
  const env = { SHOP_TOKEN: 'Shop-Value/9 & "more"' };
  const ended = await checked(telling, [...ALL, '--only', 'lost_request', ...reports], { folder, env });
  const texts = files.map((file) => readFileSync(path.join(folder, file), 'utf8'));
  for (const text of [ended.stdout, ended.stderr, ...texts])
    expect(text).not.toMatch(/Shop-Value|Value\\?\/9|svc_sk_\w/);
  const [json = '', html = '', markdown, junit] = texts;
  expect(idsIn(ended.report, 'failed')).toEqual(['survives-lost-messages']);
  expect(json).toContain('no answer with …');
  expect(JSON.parse(json).findings).toHaveLength(1);
  expect(html.length).toBeLessThan(500_000);
  expect(html).toMatch(/^<!doctype html>/);
  expect(html).not.toMatch(/(?:src|href)="https?:|<script[^>]/);
  expect(markdown).toContain('**FAILED survives-lost-messages**');
  expect(junit).toContain('tests="14" failures="1"');
  expect(readFileSync(path.join(folder, '.svc-check/.gitignore'), 'utf8')).toBe('*\n');
  expect(readFileSync(path.join(folder, '.svc-check/check.html'), 'utf8')).toBe(html);
  expect(ended.stderr).toContain('Findings are kept in .svc-check');
});

it('writes a report of all findings so far at Ctrl-C, and leaves no process running', async () => {
  const folder = emptyFolder();
  let isFound = false;
  const wrong = client({ lost: AGAIN });
  // After the finding no run ends by itself, so the signal interrupts a run in progress.
  const words = await commandHere((run) => (isFound ? new Promise(() => {}) : wrong(run)));
  const line = ['check', '--budget', '0', '--report', 'found.json', '--', ...words];
  const program = new SpawnedProgram(line, {}, folder);
  await program.heard('stderr', (text) => text.includes('Found: ') || undefined);
  isFound = true;
  expect(await program.stop('SIGINT')).toBe(130);
  const report = reportIn(folder);
  expect(report).toMatchObject({ exit: 130, error: expect.any(String) });
  expect(report.findings).toMatchObject([{ kind: 'fault', check: 'pays-once' }]);
  expect(program.stdout).toContain('The run was interrupted. The report contains the findings until then.');
  const running = () => execFileSync('ps', ['-eo', 'stat=,args='], { encoding: 'utf8' }).split('\n');
  const script = words.at(-1)?.slice(0, 40) ?? '';
  // A killed process remains until the system removes it.
  await expect.poll(() => running().filter((each) => each.includes(script) && !each.startsWith('Z'))).toEqual([]);
});
