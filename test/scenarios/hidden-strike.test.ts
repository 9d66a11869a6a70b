import OpenAI from 'openai';
import { expect, it } from 'vitest';
import { startEmulator } from '../../src/emulator.ts';
import { journalled, rule } from '../support/striking.ts';
import { CHAT } from '../support/wire.ts';
import { ephemeral, World, world } from '../support/world.ts';

const emulator = await world();

it('shows by strikes and by the retry count what a client hides by trying again [I088 I143]', async () => {
  const account = await emulator.account();
  const shown = await rule(account, { status: 503, retry_after: 0 });
  const openai = new OpenAI({ baseURL: `${emulator.url}/v1`, apiKey: account.key });
  const messages = [{ role: 'user' as const, content: 'Hello there.' }];
  const completion = await openai.chat.completions.create({ model: 'svc-rp-mini', messages });
  expect(completion.choices[0]?.message.content).toMatch(/\w/);
  expect(await shown()).toMatchObject({ strikes: 1, remaining: 0 });
  const requests = await journalled(account, 2);
  expect(requests.map(({ status, retry_count }: Record<string, unknown>) => [status, retry_count])).toEqual([
    [503, 0],
    [200, 1],
  ]);
  expect(await account.ledger()).toEqual(['grant 50', 'charge -1']);
});

it('names, once it is closed, the rules that were never applied, and no other', async () => {
  const started = await startEmulator(ephemeral());
  const here = new World(started);
  const account = await here.account();
  const appliedFault = await rule(account, { status: 503 });
  await account.post('/chat/completions', CHAT);
  expect(await appliedFault()).toMatchObject({ strikes: 1 });
  const idle = await rule(account, { fail_job: 'lost' }, { match: { contains: 'xyzzy' } });
  const { id } = await idle();
  await started.close();
  expect(started.unusedFaults).toEqual([
    `${id} {"contains":"xyzzy","account_id":"${account.id}"} -> {"fail_job":"lost"}`,
  ]);
});
