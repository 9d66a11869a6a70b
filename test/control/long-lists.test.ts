import { expect, it } from 'vitest';
import { journalled } from '../support/striking.ts';
import { CHAT } from '../support/wire.ts';
import { world } from '../support/world.ts';

const REQUESTS = 24;
const PAGE = 7;

it('streams a long list of requests with the same entries as several smaller pages, and serves other requests meanwhile', async () => {
  const emulator = await world();
  const account = await emulator.account({ credits: 1000 });
  for (let n = 0; n < REQUESTS; n += 1) {
    const content = `${n} ${'Where does the path lead? '.repeat(1150)}`;
    await account.post('/chat/completions', { ...CHAT, messages: [{ role: 'user', content }] });
  }
  await journalled(account, REQUESTS);
  const list = `${emulator.url}/_emulator/requests?account_id=${account.id}`;
  const whole = await fetch(list);
  expect((await emulator.control('GET', '/health')).status).toBe(200);
  expect(whole.headers.get('content-length')).toBeNull();
  expect(whole.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const { object, data } = (await whole.json()) as { object: string; data: { id: string }[] };
  expect([object, data.length]).toEqual(['list', REQUESTS]);
  const paged: unknown[] = [];
  for (let after = ''; paged.length < REQUESTS; ) {
    const { body } = await emulator.control('GET', `/requests?account_id=${account.id}&limit=${PAGE}${after}`);
    paged.push(...body.data);
    after = `&after=${body.data.at(-1).id}`;
  }
  expect(paged).toEqual(data);
});
