import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { world } from '../../support/world.ts';
import { toolModules } from '../../tools/installed-tools.mjs';

const emulator = await world();
const run = promisify(execFile);
const MODULES = path.join(import.meta.dirname, '..', '..', '..', 'node_modules');
const bin = (program: string) => path.join(MODULES, program);
const HEY_API = path.join(await toolModules('long'), '@hey-api/openapi-ts/bin/run.js');

const OPTIONS = {
  ...{ target: 'ES2023', module: 'ESNext', moduleResolution: 'bundler', lib: ['ES2023', 'DOM', 'DOM.Iterable'] },
  ...{ strict: true, noUncheckedIndexedAccess: true, types: [], noEmit: true },
};

/** A program that creates a fault, triggers it, and reads it back, each field with its type. */
const PROGRAM = `
import { createChatCompletion } from './service/index.ts';
import { client as service } from './service/client.gen.ts';
import { createFault, listFaults } from './control/index.ts';
import { client as control } from './control/client.gen.ts';

export async function strike(baseUrl: string, key: string, accountId: string) {
  control.setConfig({ baseUrl });
  service.setConfig({ baseUrl, auth: key });
  await createFault({ body: { match: { account_id: accountId }, effect: { status: 429, retry_after: 2 } }, throwOnError: true });
  const chat = { body: { model: 'svc-rp-mini' as const, messages: [{ role: 'user' as const, content: 'Hello.' }] } };
  const refused = await createChatCompletion(chat);
  const { data } = await createChatCompletion(chat);
  const spent: number | undefined = typeof data === 'object' ? data.usage.credits_spent : undefined;
  const rules = await listFaults({ query: { account_id: accountId }, throwOnError: true });
  const [rule] = rules.data.data;
  const status: number | undefined = rule?.effect.status;
  const struck: number | undefined = rule?.applied;
  // @ts-expect-error: a field that there is not
  void rule?.effect.nothing;
  return { code: refused.error?.error.code, spent, status, struck };
}
`;

async function documents(folder: string, version: '3.1' | '3.0') {
  for (const [name, address] of [
    ['service', '/openapi.json'] as const,
    ['control', '/_emulator/openapi.json'] as const,
  ]) {
    const answer = await fetch(`${emulator.url}${address}?as=${version}`);
    writeFileSync(path.join(folder, `${name}.json`), await answer.text());
  }
}

it('works with TypeScript clients that two generators make without a warning, and that compile strictly', async () => {
  const folder = emptyFolder();
  await documents(folder, '3.1');
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
  symlinkSync(MODULES, path.join(folder, 'node_modules'));
  for (const name of ['service', 'control']) {
    const made = [
      await run(process.execPath, [bin('openapi-typescript/bin/cli.js'), `${name}.json`, '-o', `${name}.d.ts`], {
        cwd: folder,
      }),
      await run(process.execPath, [HEY_API, '-i', `${name}.json`, '-o', name], { cwd: folder }),
    ];
    for (const { stdout, stderr } of made) expect(stdout + stderr).not.toMatch(/warn|error/i);
  }
  writeFileSync(path.join(folder, 'program.ts'), PROGRAM);
  const options = { compilerOptions: { ...OPTIONS, allowImportingTsExtensions: true }, include: ['**/*.ts'] };
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(options));
  await run(process.execPath, [bin('typescript/bin/tsc'), '-p', folder], { cwd: folder });

  const bundled = path.join(folder, 'program.mjs');
  const line = [
    'program.ts',
    '--bundle',
    '--format=esm',
    '--platform=node',
    `--outfile=${bundled}`,
    '--log-level=error',
  ];
  await run(bin('esbuild/bin/esbuild'), line, { cwd: folder });
  const account = await emulator.account();
  const { strike } = await import(bundled);
  expect(await strike(emulator.url, account.key, account.id)).toEqual({
    ...{ code: 'rate_limited', spent: 1, status: 429, struck: 1 },
  });
  expect(await account.ledger()).toEqual(['grant 50', 'charge -1']);
});

/** The last version that contains its program. Later versions download the program. */
const JAVA_GENERATOR = '@openapitools/openapi-generator-cli@1.0.18-5.0.0-beta2';

const JAVA_PROGRAM = `
import java.net.URI;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.AccountApi;

class Program {
  public static void main(String[] given) throws Exception {
    ApiClient client = new ApiClient();
    URI address = URI.create(given[0]);
    client.setHost(address.getHost());
    client.setPort(address.getPort());
    client.setRequestInterceptor((request) -> request.header("Authorization", "Bearer " + given[1]));
    System.out.println(new AccountApi(client).getAccount().getCredits());
  }
}
`;

const hasJava = spawnSync('javac', ['--version']).status === 0;

/** Returns the path of the generator, which is installed at the first call. */
async function generatorOf(version: string): Promise<string> {
  const store = path.join(MODULES, '.cache', version.replace(/\W+/g, '-'));
  const jar = path.join(store, 'node_modules/@openapitools/openapi-generator-cli/bin/openapi-generator.jar');
  if (!existsSync(jar)) {
    mkdirSync(store, { recursive: true });
    const quiet = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts'];
    await run('npm', ['install', '--prefix', store, ...quiet, version]);
  }
  return jar;
}

/** Generates a client of a document, and returns the warnings. */
async function generate(jar: string, { folder, name, form }: { folder: string; name: string; form: string[] }) {
  mkdirSync(path.join(folder, name));
  const line = ['-jar', jar, 'generate', '-i', `${name}.json`, ...form, '-o', name];
  const { stdout, stderr } = await run('java', line, { cwd: folder, maxBuffer: 2 ** 26 });
  return (stdout + stderr).split('\n').filter((each) => /\b(?:WARN|ERROR)\b/.test(each));
}

it.runIf(hasJava)('works with a Java client that is generated without a warning', async () => {
  const jar = await generatorOf(JAVA_GENERATOR);
  const folder = emptyFolder();
  await documents(folder, '3.0');
  for (const name of ['service', 'control']) {
    const form = ['-g', 'java', '--library', 'native', '--additional-properties', 'openApiNullable=false'];
    expect(await generate(jar, { folder, name, form })).toEqual([]);
    writeFileSync(path.join(folder, name, 'Program.java'), name === 'service' ? JAVA_PROGRAM : '');
    const sources = readdirSync(path.join(folder, name), { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.java') && !file.includes('src/test'),
    );
    // The jar of the generator contains the libraries that its clients need.
    await run('javac', ['-nowarn', '-d', 'classes', '-cp', jar, ...sources], { cwd: path.join(folder, name) });
  }
  const account = await emulator.account();
  const classes = `classes${path.delimiter}${jar}`;
  const { stdout } = await run('java', ['-cp', classes, 'Program', emulator.url, account.key], {
    cwd: path.join(folder, 'service'),
  });
  expect(stdout.trim()).toBe('50');
});
