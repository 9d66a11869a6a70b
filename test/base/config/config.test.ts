import { expect, it } from 'vitest';
import {
  ConfigError,
  type ConfigOptions,
  flagOf,
  optionNames,
  readConfig,
  variableOf,
} from '../../../src/base/config/config.ts';

const FILE = import.meta.filename;
const FOLDER = import.meta.dirname;

it('has the documented defaults when nothing is given [I148]', () => {
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
    https: false,
    allowHost: [],
    cors: [],
    controlToken: undefined,
    fixtures: undefined,
    fixturesOnly: false,
    supervise: false,
    profile: undefined,
    ffmpeg: undefined,
    seed: undefined,
    log: 'pretty',
  });
});

/** Text of a flag or variable, and what it means. */
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
  ['https', 'true', true],
  ['allowHost', 'a.internal, B.internal', ['a.internal', 'b.internal']],
  ['cors', 'https://app.example.com/,http://x.example:8080', ['https://app.example.com', 'http://x.example:8080']],
  ['controlToken', 'a-long-enough-token', 'a-long-enough-token'],
  ['fixtures', FOLDER, FOLDER],
  ['fixturesOnly', 'on', true],
  ['world', FILE, FILE],
  ['supervise', 'yes', true],
  ['profile', 'production', 'production'],
  ['ffmpeg', FILE, FILE],
  ['seed', '42', 42],
  ['log', 'silent', 'silent'],
];

it.each(READINGS)('reads %s %j from flag and variable alike [I148]', (name, given, expected) => {
  expect(readConfig({ [name]: given }, {})[name]).toEqual(expected);
  expect(readConfig({}, { [variableOf(name)]: given })[name]).toEqual(expected);
});

it('has a reading of every option in the table above', () => {
  // A config file is read, not kept: test/config-file.test.ts.
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
  ['warm', 'maybe'],
  ['settleAfter', '3601'],
  ['rateLimit', '0'],
  ['publicUrl', 'media.example.com'],
  ['publicUrl', 'https://user:pass@media.example.com'],
  ['publicUrl', 'https://media.example.com/?a=1'],
  ['allowHost', 'https://a.internal'],
  ['allowHost', 'a..internal'],
  ['cors', 'https://app.example.com/page'],
  ['cors', '*'],
  ['controlToken', 'short'],
  ['controlToken', 'has space inside'],
  ['fixtures', '/no/such/folder'],
  ['fixtures', FILE],
  ['ffmpeg', '/no/such/ffmpeg'],
  ['seed', '1.5'],
  ['log', 'loud'],
];

it.each(REFUSED)('refuses %s %j, naming its source and the value [I150]', (name, given) => {
  const byFlag = () => readConfig({ [name]: given }, {});
  const byVariable = () => readConfig({}, { [variableOf(name)]: given });
  expect(byFlag).toThrow(ConfigError);
  expect(byFlag).toThrow(`${flagOf(name)} is ${JSON.stringify(given)}; expected `);
  expect(byVariable).toThrow(`${variableOf(name)} is ${JSON.stringify(given)}; expected `);
});

it('says what was expected [I150]', () => {
  expect(() => readConfig({ maxDisk: 'lots' }, {})).toThrow(
    '--max-disk is "lots"; expected a size such as 500MiB, 5GiB or a number of bytes.',
  );
});

it('lets a flag win over its variable, and an empty variable count as none [I148]', () => {
  const env = { SVC_EMULATOR_PORT: '5000', SVC_EMULATOR_MAX_DISK: '' };
  expect(readConfig({ port: '6000' }, env)).toMatchObject({ port: 6000, maxDisk: 5 * 2 ** 30 });
  expect(readConfig({}, env).port).toBe(5000);
});

it('takes values of a program as they are [I148]', () => {
  const config = readConfig({ port: 0, ephemeral: true, forward: ['https://a.example=http://localhost:1'] }, {});
  expect(config).toMatchObject({ port: 0, ephemeral: true });
  expect(config.forward.get('https://a.example')).toBe('http://localhost:1');
});

it('cannot be changed once it was read', () => {
  expect(Object.isFrozen(readConfig({}, {}))).toBe(true);
});

it.each([
  ['SVC_EMULATOR_MAXDISK', 'SVC_EMULATOR_MAX_DISK'],
  ['SVC_EMULATOR_STRICKT', 'SVC_EMULATOR_STRICT'],
])('refuses the variable %s and names %s [I233]', (given, meant) => {
  expect(() => readConfig({}, { [given]: '1' })).toThrow(
    new ConfigError(`The environment has ${given}; there is no such variable. Did you mean ${meant}?`),
  );
});

it('lets pass what others read of the environment [I233]', () => {
  expect(readConfig({}, { SVC_EMULATOR_COMMAND: 'npx svc-emulator', SVC_BASE_URL: 'x' }).port).toBe(4600);
});
