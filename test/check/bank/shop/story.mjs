// Ann buys one song, and looks at her shop until it has come, or her credits are back. Where nothing happens for a moment,
// or the shop is away, she clicks again, and again in another tab: her credits are enough for one.
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { fileOf } from '../bank-account.mjs';
import { fetch } from '../plain-fetch.mjs';

const CREDITS = 10;
/** How long she waits for an answer, and for her song. */
const [CLICK_MS, SONG_MS] = [800, 12_000];
const ORDER = { idem: 'click-1', user: 'ann', prompt: 'a slow song about the rain' };

export async function story(port) {
  const shop = `http://127.0.0.1:${port}`;
  await click(shop);
  for (const end = Date.now() + SONG_MS; Date.now() < end; ) {
    const { users, orders } = await insist(shop, '/state');
    if (orders.length > 0 && orders.every(({ done }) => done)) return requireFair(users, orders);
    await sleep(60);
  }
  throw new Error('The song did not come, and neither did the credits.');
}

async function click(shop) {
  const first = ask(shop, '/orders', ORDER).catch(() => undefined);
  if (await Promise.race([first, sleep(CLICK_MS)])) return;
  await Promise.all([insist(shop, '/orders', ORDER), insist(shop, '/orders', { ...ORDER, idem: 'click-2' })]);
  await first;
}

async function ask(shop, path, body) {
  const response = await fetch(shop + path, { method: body ? 'POST' : 'GET', body: body && JSON.stringify(body) });
  return response.json();
}

/** Asks the shop again as long as it is away. */
async function insist(shop, path, body) {
  for (let turn = 0; turn < 200; turn += 1) {
    try {
      return await ask(shop, path, body);
    } catch {
      await sleep(50);
    }
  }
  throw new Error('The shop does not answer.');
}

function requireFair([{ balance }], orders) {
  const delivered = orders
    .flatMap(({ takes }) => takes)
    .filter(({ state, sha }) => state === 'delivered' && sha).length;
  if (balance < 0 || balance !== CREDITS - 3 * delivered)
    throw new Error(`Ann has ${balance} credits and ${delivered} takes.`);
}

/** What failed at the service is what failed here, what came is the file of that take, and Ann paid for what came. */
export async function check({ state: { users, orders }, jobs }) {
  requireFair(users, orders);
  for (const { take, state, sha } of orders.length === 1 ? orders[0].takes : []) {
    const job = jobs.find((each) => each.take === take);
    if (!job) continue;
    if ((job.status === 'succeeded') !== (state === 'delivered'))
      throw new Error(`Take ${take} is ${state} here, and ${job.status} at the service.`);
    if (state === 'delivered' && sha !== (await fileOf('music', job)).sha)
      throw new Error(`Take ${take} is another file.`);
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await story(process.env.PORT);
