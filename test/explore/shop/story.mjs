// Ann buys one song, and looks at her shop until it has come, or her credits are back. Where nothing happens for a moment
// she clicks again, and again in another tab: her credits are enough for one.
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const CREDITS = 10;
const PATIENCE_MS = 400;
const ORDER = { idem: 'click-1', user: 'ann', prompt: 'a slow song about the rain' };

export async function story(port) {
  const ask = asker(`http://127.0.0.1:${port}`);
  await click(ask);
  for (let turn = 0; turn < 600; turn += 1) {
    const { users, orders } = await ask('/state');
    if (orders.length > 0 && orders.every(({ done }) => done)) return requireFair(users, orders);
    await sleep(20);
  }
  throw new Error('The song did not come, and neither did the credits.');
}

async function click(ask) {
  const first = ask('/orders', ORDER);
  if ((await Promise.race([first, sleep(PATIENCE_MS, 'nothing')])) === 'nothing')
    await Promise.all([ask('/orders', ORDER), ask('/orders', { ...ORDER, idem: 'click-2' })]);
  await first;
}

/** Asks the shop again as long as it is away. */
function asker(shop) {
  return async (path, body) => {
    for (let turn = 0; turn < 40; turn += 1) {
      try {
        const response = await fetch(shop + path, body && { method: 'POST', body: JSON.stringify(body) });
        return await response.json();
      } catch {
        await sleep(50);
      }
    }
    throw new Error('The shop does not answer.');
  };
}

function requireFair([{ balance }], orders) {
  const delivered = orders
    .flatMap(({ takes }) => takes)
    .filter(({ state, sha }) => state === 'delivered' && sha).length;
  if (balance < 0 || balance !== CREDITS - 3 * delivered)
    throw new Error(`Ann has ${balance} credits and ${delivered} takes.`);
}

/** What failed at the service is what failed here. */
export function check({ state: { orders }, jobs }) {
  for (const { take, state } of orders.length === 1 ? orders[0].takes : []) {
    const job = jobs.find((each) => each.take === take);
    if (job && (job.status === 'succeeded') !== (state === 'delivered'))
      throw new Error(`Take ${take} is ${state} here, and ${job.status} at the service.`);
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await story(process.env.PORT);
