import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { VERSION } from '../../src/base/package/package-folder.ts';
import { encodeToken } from '../../src/check/token.ts';
import { takenPort } from '../support/free-port.ts';
import { runCommand } from '../support/run-command.ts';
import { emptyFolder, fileOf, folderOf, startProgram } from './spawned-program.ts';

const STACK = /^\s+at /m;

async function expectRefusal(line: readonly string[], code: number, message: RegExp): Promise<void> {
  const { exitCode, stdout, stderr } = await runCommand(line);
  expect({ exitCode, stdout, stderr }).toEqual({ exitCode: code, stdout: '', stderr: expect.stringMatching(message) });
  expect(stderr).not.toMatch(STACK);
}

it.each<[string, () => string | Promise<string>, number, RegExp]>([
  ['port', async () => `${await takenPort()}`, 1, /^svc-emulator: Port \d+ of 127\.0\.0\.1 is in use.*--port/],
  ['host', () => '192.0.2.1', 1, /192\.0\.2\.1.*--host/],
  [
    'profile',
    () => fileOf('slow.json', '{"models": {"svc-rp-mini": {"min": 3, "max": 1}}}'),
    2,
    /--profile is \S+slow\.json[\s\S]*models\.svc-rp-mini\.max: /,
  ],
  ['data-dir', () => fileOf('file', ''), 1, /^svc-emulator: The data folder .*file cannot be used/],
  [
    'data-dir',
    () => `${fileOf('file', '')}/below`,
    1,
    /^svc-emulator: The data folder .*below cannot be used.*--data-dir/,
  ],
  [
    'data-dir',
    () => '/sys/svc-emulator-data',
    1,
    /^svc-emulator: The data folder \/sys\/svc-emulator-data cannot be used/,
  ],
  [
    'fixtures',
    () => folderOf({ 'a.yaml': 'fixtures:\n  - name: x\n    answr: {}\n' }),
    2,
    /a\.yaml:3: Unknown field fixtures\.0\.answr\. Did you mean answer\?/,
  ],
])('rejects a value of --%s that cannot be used, and names it [I150]', async (flag, value, code, told) => {
  const usual = ['--port', '0', ...(flag === 'data-dir' ? [] : ['--ephemeral'])];
  await expectRefusal(['start', ...usual, `--${flag}`, await value()], code, told);
});

it('exits with 1 for a data folder of another program, names the folder, and does not change it; doctor names it too [I199 I150 I151]', async () => {
  const folder = folderOf({ 'letter.txt': 'Dear reader' });
  const told = new RegExp(`The data folder ${folder} is not empty and was not made by svc-emulator.*--data-dir`);
  await expectRefusal(['start', '--port', '0', '--data-dir', folder], 1, told);
  expect((await runCommand(['doctor', '--port', '0', '--data-dir', folder])).stdout).toMatch(told);
  expect(readdirSync(folder)).toEqual(['letter.txt']);
  expect(readFileSync(path.join(folder, 'letter.txt'), 'utf8')).toBe('Dear reader');
});

it('exits with 3 while another svc-emulator uses the data folder, and leaves that one running; doctor reports the use too [I150 I151]', async () => {
  const folder = emptyFolder();
  const { url } = await startProgram(['--data-dir', folder]);
  const told = new RegExp(`The data folder ${folder} is in use by another svc-emulator`);
  await expectRefusal(['start', '--port', '0', '--data-dir', folder], 3, told);
  expect((await runCommand(['doctor', '--port', '0', '--data-dir', folder])).stdout).toMatch(told);
  expect((await fetch(`${url}/v1/models`)).status).toBe(200);
});

const scene = { kind: 'fault', command: '', faults: [{ site: 'a', fault: 'status:999' }] } as const;
const UNKNOWN_FAULT = encodeToken({ version: VERSION, seed: 1, check: 'pays-once', scene });

it.each<[string | string[], string]>([
  ['start --prot 1', 'There is no option "--prot". Did you mean --port? See svc-emulator start --help.'],
  ['check python3 -m pytest', 'There is no option "-m". If it belongs to python3, write the command after --, as'],
  ['exec --port 1 -- npm', 'There is no option "--port". See svc-emulator exec --help.'],
  ['exec', 'The command is missing. Write the command after --, as in -- npm test. See svc-emulator exec --help.'],
  [['exec', '--', ''], 'The command is empty. Write it after --: svc-emulator exec -- npm test'],
  ['exec --max-credits x -- npm', '--max-credits is "x"; expected a whole number of credits. See'],
  ['exec --max-increase 10 -- npm', '--max-increase is "10"; expected a percentage, such as 10%. See'],
  ['exec --trace-on failur -- npm', 'expected failure, always or never. Did you mean failure? See'],
  ['exec --max-increase 10% -- npm', '--max-increase needs --baseline <file>.'],
  ['exec --update-baseline -- npm', '--update-baseline needs --baseline <file>'],
  [
    'exec --fail-on-verdict --allow paid -- npm',
    '--allow is paid, which is not a code of the verdict. Use one of: retried_402',
  ],
  ['exec --trace-media -- npm', '--trace-media needs --trace <file>.'],
  ['exec --fixtures gone -- npm', '--fixtures is "gone"; expected a folder that exists. See svc-emulator exec --help.'],
  ['exec --keep /dev/null -- npm', '--keep is /dev/null, which cannot be used: a part of its path is not a folder;'],
  ['exec --baseline / -- npm', '--baseline is /, which cannot be read: it is a folder.'],
  ['exec --baseline package.json -- npm', '--baseline is package.json'],
  ['exec --trace /no/at/all.html -- npm', '--trace is /no/at/all.html; expected a file in a folder that exists.'],
  ['demo --share gone/all.html', '--share is gone/all.html; expected a file in a folder that exists.'],
  [['check', '--', ' '], 'The command that runs your tests is missing. Write it after --: svc-emulator check -- npm'],
  ['check marge a.json', '"marge" is neither an option nor a command of check. Did you mean merge?'],
  [['check', '--start', '', '--', 'npm'], '--start is empty; expected a command.'],
  [['check', '--assert', ' ', '--', 'npm'], '--assert is empty; expected a command.'],
  ['check --ready http://x -- npm', '--ready needs --start <command>.'],
  ['check --start a --ready x -- npm', '--ready is "x"; expected a URL, such as http://127.0.0.1:{port}/health.'],
  ['check --base HEAD -- npm', '--base needs --prove <token>.'],
  ['check --prove c1-a -- npm', '--prove needs --base <ref>'],
  ['check --only lost_respons -- npm', 'Did you mean lost_response?'],
  ['check --skip mony -- npm', '--skip is "mony", which matches nothing. Use one of pays-once, collects-results, '],
  [`check --only ${'*a'.repeat(30)}*b -- npm`, 'which matches nothing.'],
  [`check --only ${'*'.repeat(5000)}b -- npm`, 'which matches nothing.'],
  ['check --require pay-once -- npm', 'which is not a check. Did you mean pays-once?'],
  ['check --shard 3/2 -- npm', '--shard is "3/2"'],
  ['check --seed -1 -- npm', '--seed is -1'],
  ['check --report a.pdf -- npm', 'expected a file that ends in .json, .html, .md or .xml'],
  ['check --trace run.html -- npm', '--trace needs --replay TOKEN'],
  ['check --baseline none.json -- npm', 'none.json, which does not exist'],
  ['check npm -- npm', '"npm" is neither an option nor a command of check. Write all words of the'],
  ['check --budget -- npm', '--budget needs a value: --budget <span>.'],
  ['check --budget 5min -- npm', '--budget is "5min"; expected a span'],
  [['check', '--replay', '', '--', 'npm'], '--replay is "", which is not a token; copy one from a Replay line'],
  ['check --replay c1-AAAA -- npm', '--replay is "c1-AAAA", which is not a token'],
  ['check --replay nonsense -- npm', '--replay is "nonsense", which is not a token'],
  [`check --replay c1-${'A'.repeat(3000)} -- npm`, 'which is not a token'],
  [`check --replay ${UNKNOWN_FAULT} -- npm`, 'which is not a token'],
  ['verify', '<url> is missing; expected the URL of the receiver. See svc-emulator verify --help.'],
  ['verify http://127.0.0.1:1', '--secret is missing; give the signing secret of the endpoint, or set SVC_WEBHOOK_'],
  ['verify localhost:3000/hook --secret whsec_a', '<url> is "localhost:3000/hook"; expected an http or https URL'],
  ['verify http://a.example --secret whsec_a', 'a.example is not this machine; --remote allows a receiver at a public'],
  ['verify http://a.example --secret whsec_a --remote', 'with --remote expected an https URL.'],
  ['compare /', '/ cannot be compared: it is a folder.'],
  ['compare none.har', 'none.har cannot be compared: there is no such file'],
  ['compare README.md', 'README.md cannot be compared: it is not a HAR'],
  ['compare', '<file> is missing; expected a HAR file of at most 50 MiB. See svc-emulator compare --help.'],
  ['openapi --out /proc/a/b/c', '--out is /proc/a/b/c, which cannot be written: there is no such file or folder.'],
  ['python-client --out /dev/null/x', '--out is /dev/null/x, which cannot be written: a'],
  [['python-client', '--out', ''], '--out is "", which cannot be written:'],
  ['start --ephemeral=yes', '--ephemeral takes no value; write --ephemeral alone. See'],
  ['doctor --port x', '--port is "x"; expected a whole number from 0 to 65535. See svc-emulator doctor --help.'],
  ['--ephemral', 'There is no option "--ephemral". Did you mean --ephemeral? See svc-emulator start --help.'],
  ['strat', 'There is no command "strat". Did you mean start? See svc-emulator --help.'],
  ['start surplus', '"surplus" is one argument too many: start takes no argument. See svc-emulator start --help.'],
  ['start --port', '--port needs a value: --port <number>. See svc-emulator start --help.'],
])('rejects %j with exit code 2 and one line that says why [I150]', async (line, message) => {
  const { exitCode, stdout, stderr } = await runCommand(typeof line === 'string' ? line.split(' ') : line);
  expect([exitCode, stdout], stderr).toEqual([2, '']);
  expect(stderr).toMatch(/^svc-emulator: .*\n$/);
  expect(stderr).toContain(message);
});

it.each([
  ['npm test', 'Write its words apart, as in svc-emulator exec -- npm test.'],
  ['frobnicat', 'Check its spelling, and that PATH contains its folder.'],
])('exits with 127 if exec finds no command "%s", and says what to check [I149]', async (name, remedy) => {
  const { exitCode, stderr } = await runCommand(['exec', '--', name]);
  expect([exitCode, stderr]).toEqual([127, `svc-emulator: There is no command "${name}". ${remedy}\n`]);
});

it('exits with 2 for an invalid variable, and names it [I150 I148]', async () => {
  const { exitCode, stderr } = await runCommand(['start'], { SVC_EMULATOR_RATE_LIMIT: 'none' });
  expect(exitCode).toBe(2);
  expect(stderr).toContain('SVC_EMULATOR_RATE_LIMIT is "none"; expected a whole number');
});

it('exits with 0 after --version and --help; help lists options with their defaults and variables [I150]', async () => {
  expect(await runCommand(['--version'])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
  const { exitCode, stdout } = await runCommand(['start', '--help']);
  expect(exitCode).toBe(0);
  const help = stdout.replace(/\s+/g, ' ');
  for (const word of ['--port <number>', '(default: 5GiB)', 'SVC_EMULATOR_MAX_DISK']) expect(help).toContain(word);
});
