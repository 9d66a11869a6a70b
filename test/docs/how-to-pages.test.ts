import { expect, it } from 'vitest';
import { world } from '../support/world.ts';
import { followPage, readPage } from './follow-page.ts';
import { ReaderFolder } from './terminal.ts';

it.each([
  ['README.md', ['charge -3']],
  ['docs/errors.md', []],
  ['docs/faults.md', []],
  ['docs/flows.md', ['charge -3', 'charge -10']],
])(
  'behaves as documented in %s, and makes only the expected charges [R122 I021 I078 I079 I082 I132 I133 I134 I160]',
  { timeout: 180_000 },
  async (page, charges) => {
    const emulator = await world();
    await followPage(readPage(page), { folder: new ReaderFolder(), emulatorUrl: emulator.url, receiverPort: 0 });
    const account = await emulator.first();
    expect(await account.ledger()).toEqual(['grant 50', 'top_up 99950', ...charges]);
    // A flow run sends events about its end, and about the image that it makes.
    expect((await account.events()).filter((type) => !/^(?:flow|image)\./.test(type))).toEqual([]);
    expect(await emulator.invariants()).toMatchObject({ ok: true });
  },
);
