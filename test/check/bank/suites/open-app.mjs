// Applications of the bank, each opened in the process of a test and with the account of that test.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const { BANK_APPS } = process.env;

/** Opens an application for an account; `t` is the test at whose end it is closed. `ask` sends it JSON and parses its answer. */
export async function openApp(t, name, { emulator, account, settings = {} }) {
  const port = await freePort();
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-bank-'));
  const own = { SVC_BASE_URL: emulator.url, SVC_API_KEY: account.apiKey, PORT: port, SVC_CHECK_DIR: folder };
  const file = pathToFileURL(path.join(BANK_APPS, name, `${name}.mjs`));
  const { close } = await import(`${file}?${new URLSearchParams({ ...own, ...settings })}`);
  t.after(async () => {
    await close();
    rmSync(folder, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${port}`;
  const ask = async (at, body) => {
    const response = await fetch(url + at, body && { method: 'POST', body: JSON.stringify(body) });
    return { status: response.status, body: await response.json() };
  };
  return { url, ask };
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** A request to the service itself, with the key of an account. */
export async function call({ emulator, account }, method, at, body) {
  const response = await fetch(at.startsWith('http') ? at : `${emulator.baseUrl}${at}`, {
    method,
    headers: { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text && JSON.parse(text) };
}

/** The movements of money of an account since its last top-up. */
export async function spent(account) {
  const entries = await account.ledger();
  const start = entries.findLastIndex(({ type }) => type !== 'charge' && type !== 'refund');
  return entries.slice(start + 1).map(({ type, amount }) => `${type} ${amount}`);
}

/** How long an application may take for its work, which the longest of its own retries has room in. */
const MOST_MS = 15_000;

/** The state of an application once its work is done. */
export async function finished(ask, isDone) {
  for (const end = Date.now() + MOST_MS; Date.now() < end; ) {
    const { body } = await ask('/state');
    if (isDone(body)) return body;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  throw new Error('The work has not come to an end.');
}
