import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { type ConfigOptions, readConfig } from '../../../src/base/config/config.ts';
import { configFileSchema } from '../../../src/base/config/config-schema.ts';
import { startEmulator } from '../../../src/index.ts';
import { emptyFolder, startProgram } from '../../cli/spawned-program.ts';
import { runCommand } from '../../support/run-command.ts';

/** A config file with these contents; answers its path. */
function configFile(contents: object | string): string {
  const file = path.join(emptyFolder(), 'svc-emulator.config.json');
  writeFileSync(file, typeof contents === 'string' ? contents : JSON.stringify(contents));
  return file;
}

it('reads options from a file: flags win over variables, these over the file, that over defaults [I148]', () => {
  const config = configFile({ port: 1, credits: 2, rateLimit: 3, $schema: 'x', seed: null });
  const env = { SVC_EMULATOR_PORT: '4', SVC_EMULATOR_CREDITS: '5' };
  const read = readConfig({ config, port: 6 }, env);
  expect(read).toMatchObject({ port: 6, credits: 5, rateLimit: 3, settleAfter: 1 });
  expect(read.seed).toBeUndefined();
  expect(readConfig({}, { SVC_EMULATOR_CONFIG: config }).port).toBe(1);
});

it('reads a file that begins with a byte order mark', () => {
  expect(readConfig({ config: configFile('\uFEFF{"port": 7}') }, {}).port).toBe(7);
});

it('takes paths as relative to the folder of the file', () => {
  const config = configFile({ dataDir: 'kept', fixtures: '.', profile: 'production' });
  const folder = path.dirname(config);
  expect(readConfig({ config }, {})).toMatchObject({
    ...{ dataDir: path.join(folder, 'kept'), fixtures: folder, profile: 'production' },
  });
});

it.each<[string, object | string, RegExp]>([
  ['no JSON', '{port: 1}', /config\.json is not JSON: .+ Expected an object such as \{"port": 4600\}\.$/],
  ['no object', '[1]', /config\.json is \[1\]; expected a JSON object with options\.$/],
  ['an unknown option', { datadirr: 'x' }, /has "datadirr"; .+ Did you mean "dataDir"\?$/],
  ['a flag for an option', { 'max-disk': 1 }, /has "max-disk"; .+ Did you mean "maxDisk"\?$/],
  ['a value out of range', { port: 70_000 }, /^"port" in svc-emulator\.config\.json is 70000; expected a whole/],
  ['a file within a file', { config: 'x' }, /has "config"; there is no such option/],
])('refuses a file with %s, and says what was expected [I150]', (_, contents, complaint) => {
  expect(() => readConfig({ config: configFile(contents) }, {})).toThrow(complaint);
});

it('reports a program the nearest spelling of an option that there is not', async () => {
  const misspelt: ConfigOptions = Object.fromEntries([['setleAfter', 1]]);
  await expect(startEmulator(misspelt)).rejects.toThrow(
    'startEmulator has "setleAfter"; there is no such option. Did you mean "settleAfter"?',
  );
});

it('publishes the schema that editors read the file by (npx vitest run -u writes it anew)', async () => {
  const text = `${JSON.stringify(configFileSchema(), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot('../../../fixtures/config.schema.json');
});

it.each<[boolean, object]>([
  [true, { port: 0, maxDisk: '1GiB', strict: true, cors: ['http://a.example'], settleAfter: 0.5 }],
  [false, { port: 70_000 }],
  [false, { prot: 1 }],
  [false, { strict: 'yes' }],
  [false, { log: 'loud' }],
])('says %s of %j by that schema', (fits, options) => {
  const ajv = new Ajv({ strict: true, allowUnionTypes: true });
  expect(ajv.validate(configFileSchema(), options)).toBe(fits);
});

it('starts by the file of its folder, and ends with 2 and one line when that is broken [I150]', async () => {
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
