// Runs the Testcontainers example of docs/ci.md in the folder where testcontainers is installed.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder] = process.argv.slice(2);
const page = readFileSync(new URL('../docs/ci.md', import.meta.url), 'utf8');
const [, example] = /^### Testcontainers\n+```ts\n([\s\S]*?)^```/m.exec(page);
const file = path.join(folder, 'emulator-container.mjs');
// The TypeScript of the example is also valid JavaScript.
writeFileSync(file, example);
const { startContainer } = await import(pathToFileURL(file).href);

const { url, controlToken, stop } = await startContainer();
const statusOf = async (address, token) =>
  (await fetch(url + address, { headers: { authorization: `Bearer ${token}` } })).status;
assert.equal(await statusOf('/v1/models', 'svc_sk_local_emulator'), 200);
assert.equal(await statusOf('/_emulator/accounts', controlToken), 200);
assert.equal(await statusOf('/_emulator/accounts', 'another-token'), 401);
await stop();
await assert.rejects(fetch(url));
