import { expect, it } from 'vitest';
import { TestAccount, world } from '../support/world.ts';
import { followPage, readPage } from './follow-page.ts';
import { ReaderFolder } from './terminal.ts';

const KEY = 'svc_sk_local_emulator';

it.each([
  ['docs/errors.md', []],
  ['docs/troubleshooting.md', []],
  ['docs/moving.md', ['charge -1']],
])('does what %s says, and charges for nothing else', async (page, charges) => {
  const emulator = await world();
  await followPage(readPage(page), {
    ...{ folder: new ReaderFolder(), emulatorUrl: emulator.url, receiverPort: 0 },
  });
  const { body } = await emulator.control('GET', '/accounts');
  const account = new TestAccount(emulator, { ...body.data[0], api_key: KEY });
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 99950', ...charges]);
});
