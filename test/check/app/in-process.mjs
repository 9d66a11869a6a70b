// Applications of the bank in this process: each run imports its own, and explores it in the function form.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** The story of an app for `explore`, with the probe that reads the app's state and the check of its story. */
export function storyOf(file, { story, prepare, check }) {
  const ports = new Map();
  return {
    async story({ emulator, account, atEnd }) {
      const port = await freePort();
      const folder = mkdtempSync(path.join(tmpdir(), 'svc-bank-'));
      atEnd(() => rmSync(folder, { recursive: true, force: true }));
      const settings = { SVC_BASE_URL: emulator.url, SVC_API_KEY: account.apiKey, PORT: port, SVC_EXPLORE_DIR: folder };
      Object.assign(settings, await prepare?.({ emulator, account }));
      const { close } = await import(`${pathToFileURL(file)}?${new URLSearchParams(settings)}`);
      atEnd(close);
      ports.set(account.id, port);
      await story(port, { emulator, account });
    },
    async probe({ account }) {
      return stateAt(ports.get(account.id));
    },
    async check({ emulator, account }) {
      if (!check) return;
      const [requests, jobs, balance] = await Promise.all([
        emulator.requests(account),
        account.jobs(),
        account.balance(),
      ]);
      check({ state: await stateAt(ports.get(account.id)), balance, requests, jobs });
    },
  };
}

async function stateAt(port) {
  const response = await fetch(`http://127.0.0.1:${port}/state`);
  return response.json();
}

/** Below the ports that systems give to whoever connects, and above 10080, to which `fetch` does not go. */
const [FIRST_PORT, LAST_PORT] = [10_100, 19_999];
/** One after the other, and each bank has some of its own: what was free may be taken until an app listens there. */
const BANKS = 16;
let lastPort = FIRST_PORT + (process.pid % BANKS) + BANKS * Math.floor(Math.random() * 500);
function freePort() {
  lastPort = lastPort + BANKS > LAST_PORT ? FIRST_PORT + (process.pid % BANKS) : lastPort + BANKS;
  const port = lastPort;
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(freePort()));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(port)));
  });
}
