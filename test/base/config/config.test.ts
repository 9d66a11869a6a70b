import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import {
  type ConfigOptions,
  environmentVariableOf,
  flagOf,
  optionNames,
  readConfig,
} from '../../../src/base/config/config.ts';
import { ConfigError, startEmulator } from '../../../src/index.ts';
import { emptyFolder, startProgram } from '../../cli/spawned-program.ts';
import { runCommand } from '../../support/run-command.ts';
import { configFileSchema } from './config-schema.ts';

const FILE = import.meta.filename;
const FOLDER = import.meta.dirname;

it('uses port 4600, host 127.0.0.1, the folder data and the other defaults if no option is given', () => {
  expect(readConfig({}, {})).toEqual({
    port: 4600,
    host: '127.0.0.1',
    dataDir: `${process.cwd()}/data`,
    maxDisk: 5 * 2 ** 30,
    journalLimit: 10_000,
    ephemeral: false,
    credits: 100_000,
    demo: false,
    strict: false,
    forward: new Map(),
    settleAfter: 1,
    warm: true,
    mediaSize: 'small',
    rateLimit: undefined,
    publicUrl: undefined,
    allowHost: [],
    cors: [],
    controlToken: undefined,
    fixtures: undefined,
    fixturesOnly: false,
    profile: undefined,
    ffmpeg: undefined,
    seed: undefined,
    log: 'pretty',
  });
});

/** An option, the text of its flag or variable, and the parsed value. */
const READINGS: [keyof ConfigOptions, string, unknown][] = [
  ['port', '0', 0],
  ['port', '65535', 65_535],
  ['host', '0.0.0.0', '0.0.0.0'],
  ['host', '[::1]', '::1'],
  ['host', 'LocalHost', 'localhost'],
  ['dataDir', 'some/folder', `${process.cwd()}/some/folder`],
  ['maxDisk', '500MiB', 500 * 2 ** 20],
  ['maxDisk', '1.5GiB', 1.5 * 2 ** 30],
  ['maxDisk', '4096', 4096],
  ['journalLimit', '200', 200],
  ['ephemeral', 'true', true],
  ['ephemeral', '0', false],
  ['credits', '0', 0],
  ['demo', 'true', true],
  ['strict', '1', true],
  [
    'forward',
    'https://a.example=http://localhost:3000,https://b.example:8443=http://127.0.0.1:1/',
    new Map([
      ['https://a.example', 'http://localhost:3000'],
      ['https://b.example:8443', 'http://127.0.0.1:1'],
    ]),
  ],
  ['settleAfter', '0.25', 0.25],
  ['mediaSize', 'realistic', 'realistic'],
  ['warm', 'false', false],
  ['rateLimit', '60', 60],
  ['publicUrl', 'https://media.example.com/', 'https://media.example.com'],
  ['publicUrl', 'https://example.com/media/', 'https://example.com/media'],
  ['allowHost', 'a.internal, B.internal', ['a.internal', 'b.internal']],
  ['cors', 'https://app.example.com/,http://x.example:8080', ['https://app.example.com', 'http://x.example:8080']],
  [
    'cors',
    'capacitor://localhost,tauri://localhost/,ionic://App',
    ['capacitor://localhost', 'tauri://localhost', 'ionic://app'],
  ],
  [
    'cors',
    'chrome-extension://abcdefghijklmnop,moz-extension://0-1',
    ['chrome-extension://abcdefghijklmnop', 'moz-extension://0-1'],
  ],
  ['cors', 'null,file://,app+x.y://-', ['null', 'file://', 'app+x.y://-']],
  ['cors', 'HTTPS://App.Example.com:443', ['https://app.example.com']],
  ['controlToken', 'a-long-enough-token', 'a-long-enough-token'],
  ['fixtures', FOLDER, FOLDER],
  ['fixturesOnly', 'on', true],
  ['world', FILE, FILE],
  ['profile', 'production', 'production'],
  ['ffmpeg', FILE, FILE],
  ['seed', '42', 42],
  ['log', 'silent', 'silent'],
];

it.each(READINGS)('reads %s %j from a flag and from a variable', (name, given, expected) => {
  expect(readConfig({ [name]: given }, {})[name]).toEqual(expected);
  expect(readConfig({}, { [environmentVariableOf(name)]: given })[name]).toEqual(expected);
});

it('covers every option of the command line in the tests of flags and variables', () => {
  // `config` names the file to read; it is not one of the resulting options.
  const named = optionNames().filter((name) => name !== 'config');
  expect(new Set(READINGS.map(([name]) => name))).toEqual(new Set(named));
});

const REFUSED: [keyof ConfigOptions, string][] = [
  ['port', '65536'],
  ['port', '-1'],
  ['port', '80.5'],
  ['port', 'http'],
  ['port', '4600x'],
  ['host', 'http://localhost'],
  ['host', 'localhost:4600'],
  ['host', 'two words'],
  ['dataDir', ' '],
  ['maxDisk', '0'],
  ['maxDisk', '5GB'],
  ['maxDisk', 'plenty'],
  ['journalLimit', '99'],
  ['ephemeral', 'maybe'],
  ['credits', '-5'],
  ['credits', '1000000001'],
  ['forward', 'https://a.example'],
  ['forward', 'https://a.example=ftp://b.example'],
  ['forward', 'https://a.example/path=http://localhost:3000'],
  ['forward', 'https://a.example=http://localhost=http://x'],
  ['settleAfter', '-1'],
  ['mediaSize', 'huge'],
  ['settleAfter', '3601'],
  ['rateLimit', '0'],
  ['publicUrl', 'media.example.com'],
  ['publicUrl', 'https://user:pass@media.example.com'],
  ['publicUrl', 'https://media.example.com/?a=1'],
  ['allowHost', 'https://a.internal'],
  ['allowHost', 'a..internal'],
  ['cors', 'https://app.example.com/page'],
  ['cors', '*'],
  ['cors', 'https://*.example.com'],
  ['cors', 'https://app.example.com,http://localhost:*'],
  ['cors', 'chrome-extension://*'],
  ['cors', 'capacitor://localhost/page'],
  ['cors', 'app.example.com'],
  ['cors', 'wss://app.example.com'],
  ['cors', 'https://'],
  ['fixtures', '/no/such/folder'],
  ['fixtures', FILE],
  ['ffmpeg', '/no/such/ffmpeg'],
  ['seed', '1.5'],
  ['log', 'loud'],
];

it.each(REFUSED)('rejects %s %j, and names the flag or variable and the value', (name, given) => {
  const byFlag = () => readConfig({ [name]: given }, {});
  const byVariable = () => readConfig({}, { [environmentVariableOf(name)]: given });
  expect(byFlag).toThrow(ConfigError);
  expect(byFlag).toThrow(`${flagOf(name)} is ${JSON.stringify(given)}; expected `);
  expect(byVariable).toThrow(`${environmentVariableOf(name)} is ${JSON.stringify(given)}; expected `);
});

it('does not print a control token that it rejects', () => {
  for (const controlToken of ['short', 'has space inside']) {
    const read = () => readConfig({ controlToken }, {});
    expect(read).toThrow(/^--control-token is not valid; expected at least 8 letters/);
    expect(read).not.toThrow(controlToken);
  }
});

it('names the accepted sizes if it rejects a value of --max-disk', () => {
  expect(() => readConfig({ maxDisk: 'lots' }, {})).toThrow(
    '--max-disk is "lots"; expected a size such as 500MiB, 5GiB or a number of bytes.',
  );
});

/** Writes a config file and returns its path. */
function configFile(contents: object | string): string {
  const file = path.join(emptyFolder(), 'svc-emulator.config.json');
  writeFileSync(file, typeof contents === 'string' ? contents : JSON.stringify(contents));
  return file;
}

it('reads options from a config file; a flag overrides a variable, and a variable overrides the file unless it is empty [I148]', () => {
  const config = configFile({ port: 1, credits: 2, rateLimit: 3, $schema: 'x', seed: null });
  const env = { SVC_EMULATOR_PORT: '4', SVC_EMULATOR_CREDITS: '5', SVC_EMULATOR_RATE_LIMIT: '' };
  const read = readConfig({ config, port: 6 }, env);
  expect(read).toMatchObject({ port: 6, credits: 5, rateLimit: 3, settleAfter: 1 });
  expect(read.seed).toBeUndefined();
  expect(readConfig({}, { SVC_EMULATOR_CONFIG: config }).port).toBe(1);
});

it('reads a config file that begins with a byte order mark', () => {
  expect(readConfig({ config: configFile('\uFEFF{"port": 7}') }, {}).port).toBe(7);
});

it('resolves paths in a config file relative to the folder of that file', () => {
  const config = configFile({ dataDir: 'kept', fixtures: '.', profile: 'production' });
  const folder = path.dirname(config);
  expect(readConfig({ config }, {})).toMatchObject({
    ...{ dataDir: path.join(folder, 'kept'), fixtures: folder, profile: 'production' },
  });
});

it.each<[string, object | string, RegExp]>([
  ['text that is not JSON', '{port: 1}', /config\.json is not JSON: .+ Expected an object such as \{"port": 4600\}\.$/],
  ['an array instead of an object', '[1]', /config\.json is \[1\]; expected a JSON object with options\.$/],
  ['an unknown option', { datadirr: 'x' }, /"datadirr" in .+ Did you mean dataDir\?$/],
  ['the name of a flag', { 'max-disk': 1 }, /"max-disk" in .+ Did you mean maxDisk\?$/],
  ['a value out of range', { port: 70_000 }, /^"port" in svc-emulator\.config\.json is 70000; expected a whole/],
  ['the option config', { config: 'x' }, /"config" in .+ is not an option/],
])('rejects a config file with %s, and says what is wrong', (_, contents, complaint) => {
  expect(() => readConfig({ config: configFile(contents) }, {})).toThrow(complaint);
});

it('suggests the closest option to a program that names an unknown one', async () => {
  const misspelt: ConfigOptions = Object.fromEntries([['setleAfter', 1]]);
  await expect(startEmulator(misspelt)).rejects.toThrow(
    '"setleAfter" in startEmulator is not an option. Did you mean settleAfter?',
  );
});

it('publishes the schema of the config file (npx vitest run -u writes it)', async () => {
  const text = `${JSON.stringify(configFileSchema(), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot('../../../schemas/config.schema.json');
});

it('starts with the config file of the current folder, and exits with 2 and one line if the file is invalid [I150]', async () => {
  const cwd = path.dirname(configFile({ ephemeral: true, rateLimit: 77, log: 'silent' }));
  const { program, here } = await startProgram([], {}, cwd);
  const answer = await (await here.first()).get('/account');
  expect(answer.headers.get('ratelimit-limit')).toBe('77');
  expect(await program.stop()).toBe(0);

  writeFileSync(path.join(cwd, 'svc-emulator.config.json'), '{"rateLimit": 0}');
  const { exitCode, stderr } = await runCommand(['start'], {}, cwd);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/^svc-emulator: "rateLimit" in svc-emulator.config.json is 0; [^\n]+\n$/);
});
