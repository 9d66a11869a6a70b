// Ann buys one song, and looks at her shop until it has come, or her credits are back.
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const ORDER = { idem: 'click-1', user: 'ann', prompt: 'a slow song about the rain' };

export async function story(port) {
  const ask = asker(`http://127.0.0.1:${port}`);
  await ask('/orders', ORDER);
  for (let turn = 0; turn < 600; turn += 1) {
    const { users, orders } = await ask('/state');
    if (orders.length > 0 && orders.every(({ done }) => done)) return requireFair(users, orders);
    await sleep(20);
  }
  throw new Error('The song did not come, and neither did the credits.');
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
  if (balance !== 20 - 3 * delivered) throw new Error(`Ann has ${balance} credits and ${delivered} takes.`);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await story(process.env.PORT);
