import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { dashboardOpener } from '../support/browser.ts';
import { populated } from '../support/demo-rig.ts';
import { world } from '../support/world.ts';

const open = await dashboardOpener();

/** The headings of the demo's script, which must equal those of `STEPS`. */
const SCRIPT = readFileSync('docs/demo.md', 'utf8')
  .split('## Ten minutes on stage')[1]
  ?.split('\n')
  .flatMap((line) => /^### (.*)/.exec(line)?.[1] ?? []);

const go = (page: Page, area: string) =>
  page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: area }).click();

/** The actions under each heading. */
const STEPS: Record<string, (page: Page) => Promise<void>> = {
  '1. Requests from an application': async (page) => {
    await page
      .getByRole('row', { name: /\/v1\/videos\/generations/ })
      .last()
      .click();
    await page
      .getByRole('list', { name: 'Steps' })
      .getByText(/^Charged 60/)
      .waitFor();
  },
  '2. The results': async (page) => {
    await go(page, 'Gallery');
    await page.getByRole('button', { name: 'Songs' }).click();
    const renders = page.getByRole('region', { name: 'Renders' }).getByRole('button');
    await renders.filter({ hasText: 'Song: ' }).first().click();
    const drawer = page.getByRole('complementary', { name: 'Render' });
    await drawer.getByRole('button', { name: 'Play' }).click();
    await drawer.getByRole('button', { name: 'Pause' }).click();
  },
  '3. A call of your own': async (page) => {
    await go(page, 'Playground');
    await page.getByRole('button', { name: 'Streamed scene' }).click();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('region', { name: 'Response', exact: true }).getByText('−3 credits').waitFor();
  },
  '4. The cost': async (page) => {
    await go(page, 'Money');
    await page
      .getByRole('row', { name: /Refund/ })
      .first()
      .waitFor();
  },
  '5. A post that waits for a click': async (page) => {
    await go(page, 'Flows');
    await page.getByRole('button', { name: 'Runs' }).click();
    await page
      .getByRole('row', { name: /waiting|waits/ })
      .first()
      .click();
    const run = page.getByRole('complementary', { name: 'Run' });
    await run.getByLabel('Text of the post').fill('Fog rolls in.');
    await run.getByRole('button', { name: 'Approve with this text' }).click();
    await run.getByRole('heading', { name: /done/ }).waitFor();
  },
  '6. The webhooks': async (page) => {
    await go(page, 'Webhooks');
    await page
      .getByRole('row', { name: /flow\.run\.succeeded/ })
      .first()
      .click();
    await page.getByRole('region', { name: 'Signed text' }).waitFor();
  },
  '7. A saved state': async (page) => {
    await go(page, 'Faults and snapshots');
    await page.getByRole('button', { name: 'Snapshots', exact: true }).click();
    await page.getByRole('button', { name: 'Save snapshot' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Name').fill('on-stage');
    await form.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('complementary', { name: 'Snapshot' }).getByText('on-stage').waitFor();
  },
  '8. Something goes wrong': async (page) => {
    await go(page, 'Faults and snapshots');
    await page.getByRole('button', { name: 'The next image fails' }).click();
    await page.getByRole('row', { name: /active/ }).waitFor();
    await go(page, 'Playground');
    await page.getByRole('combobox', { name: 'Operation' }).click();
    await page.getByRole('option', { name: /Create image/ }).click();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page
      .getByRole('region', { name: 'Response', exact: true })
      .getByText(/render_failed/)
      .first()
      .waitFor();
  },
  '9. A week goes by': async (page) => {
    await go(page, 'Jobs and time');
    const tools = page.getByRole('group', { name: 'Move the clock' });
    await tools.getByRole('button', { name: '+8 days' }).click();
    await page.getByRole('link', { name: /Clock:.*\+8 d/ }).waitFor();
    await go(page, 'Live');
    await page.getByRole('row', { name: /waves roll past/ }).click();
    await page.getByRole('button', { name: /^.*Delivered: / }).click();
    await page.getByText('This link expired 1 d ago').waitFor();
  },
  '10. Back to the beginning': async (page) => {
    await go(page, 'Faults and snapshots');
    await page.getByRole('button', { name: 'Snapshots', exact: true }).click();
    await page.getByRole('row', { name: /on-stage/ }).click();
    const drawer = page.getByRole('complementary', { name: 'Snapshot' });
    await drawer.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await page.getByText('A snapshot was restored').waitFor();
  },
};

it('supports each step of the ten-minute demo on its docs page, in a browser that reaches only the emulator [I096]', {
  timeout: 240_000,
}, async () => {
  expect(SCRIPT).toEqual(Object.keys(STEPS));
  const emulator = await world({ demo: true });
  const account = await populated(emulator);
  const { page, faults } = await open(emulator.url);
  const before = await account.ledger();
  for (const [heading, step] of Object.entries(STEPS)) {
    await step(page).catch((error: Error) => {
      throw new Error(`${heading}: ${error.message}`);
    });
  }
  // The restore removed the failed image and its refund, but kept everything before the snapshot.
  expect(await account.ledger()).toEqual([...before, 'charge -3']);
  expect(await emulator.invariants()).toMatchObject({ ok: true });
  // The browser logs the image request that failed on purpose.
  expect(faults.splice(0)).toEqual([expect.stringContaining('502')]);
});
