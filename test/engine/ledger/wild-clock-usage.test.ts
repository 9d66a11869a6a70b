import { expect, it } from 'vitest';
import { numbers } from '../../scenarios/mixed-load.ts';
import { world } from '../../support/world.ts';

const here = await world();
const DAY = 86_400;

it('reports the usage that the ledger adds up to, wherever the clock is set [R246]', async () => {
  const account = await here.account({ plan: 'studio', credits: 10_000 });
  const random = numbers(5);
  for (let n = 0; n < 40; n += 1) {
    const now = new Date(Date.UTC(2030, 0, 1) + (random.next().value % (60 * DAY)) * 1000);
    await here.control('PUT', '/clock', { now: now.toISOString(), frozen: true });
    await account.post('/audio/speech', { input: n % 3 === 0 ? 'Hello [[fail]]' : 'Hello', voice: 'aria' });
    const since = now.getTime() / 1000 - 30 * DAY;
    const entries = await account.entries();
    const charges = entries.filter(({ type, created }) => type === 'charge' && created >= since);
    const ids = charges.map(({ id }) => id);
    const counted = [...charges, ...entries.filter(({ refund_of }) => refund_of && ids.includes(refund_of))];
    const credits = counted.reduce((sum, { amount }) => sum - amount, 0);
    expect((await account.get('/account')).body.usage_30d).toEqual({ requests: charges.length, credits });
  }
});
