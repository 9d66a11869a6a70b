import { execFile } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import openapiTypes, { astToString } from 'openapi-typescript';
import { expect, it } from 'vitest';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { world } from '../../support/world.ts';

const emulator = await world();
const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const run = promisify(execFile);

/** A program that uses the generated types. The compiler checks the types, and the run checks the values. */
const PROGRAM = `
import createClient from 'openapi-fetch';
import type { paths } from './service.ts';

declare const process: { argv: string[] };
const [url = '', key = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: url, headers: { authorization: \`Bearer \${key}\` } });

const account = await client.GET('/v1/account');
const credits: number | undefined = account.data?.credits;

const chat = await client.POST('/v1/chat/completions', {
  body: { model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Hello.' }] },
});
// A streamed answer would be text.
const spent: number | undefined =
  typeof chat.data === 'object' ? chat.data.usage.credits_spent : undefined;

const song = await client.POST('/v1/music/generations', { body: { prompt: 'a waltz', seconds: 30, n: 1 } });
const id = song.data?.data[0]?.id ?? '';
const job = await client.GET('/v1/music/generations/{id}', { params: { path: { id } } });
const status: 'queued' | 'processing' | 'succeeded' | 'failed' | undefined = job.data?.status;

const refused = await client.POST('/v1/chat/completions', {
  // @ts-expect-error: a role that there is not
  body: { model: 'svc-rp-mini', messages: [{ role: 'narrator', content: 'Hello.' }] },
});
const param: string | null | undefined = refused.error?.error.param;

console.log(JSON.stringify({ credits, spent, known: status !== undefined, param }));
`;

it('works with a typed client of openapi-typescript', async () => {
  const account = await emulator.account({ credits: 60 });
  const folder = emptyFolder();
  const types = await openapiTypes(new URL('/openapi.json', emulator.url));
  writeFileSync(path.join(folder, 'service.ts'), astToString(types));
  writeFileSync(path.join(folder, 'program.ts'), PROGRAM);
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS }));
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));

  const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [compiler, '-p', folder], { cwd: folder });
  const program = path.join(folder, 'out', 'program.js');
  const { stdout } = await run(process.execPath, [program, emulator.url, account.key]);

  const param = 'messages.0.role';
  expect(JSON.parse(stdout)).toEqual({ credits: 60, spent: 1, known: true, param });
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 10', 'charge -1', 'charge -3']);
});

const OPTIONS = {
  target: 'ES2023',
  module: 'NodeNext',
  strict: true,
  skipLibCheck: true,
  rewriteRelativeImportExtensions: true,
  types: [],
  outDir: 'out',
};
