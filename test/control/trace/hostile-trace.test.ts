import { expect, it } from 'vitest';
import { world } from '../../support/world.ts';
import { heading, traceOpener } from './open-trace.ts';
import { recordIn } from './read-trace.ts';
import { traceOf } from './run-of-shop.ts';

const openFile = await traceOpener();
const emulator = await world();

/** Texts that would set `window.struck` or call another host if they were treated as more than text. */
const SCRIPTS = [
  '<script>window.struck=1</script>',
  '</script><script>window.struck=1</script>',
  '<!--<script>window.struck=1//--></script>',
  '\u2028window.struck=1\u2029',
  '<img src=x onerror="window.struck=1">',
  '<img src="http://evil.example/x.png">',
  '"><svg/onload=window.struck=1>',
  'javascript:window.struck=1',
  'data:text/html,<script>top.struck=1</script>',
  "';window.struck=1;'",
];
const EVIL = SCRIPTS.join(' ');
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="window.struck=1"><script>top.struck=1</script>
  <image href="http://evil.example/x.png"/></svg>`;

const TYPES = ['image/svg+xml', 'text/html', 'text/html; x="</script><script>window.struck=1</script>"', 'image/png'];

/** Creates an account with hostile text in every field. */
async function hostileRun() {
  const account = await emulator.account({ credits: 1000, name: EVIL.slice(0, 100) });
  for (const content of SCRIPTS) {
    await account.post('/chat/completions', { model: 'svc-rp-mini', messages: [{ role: 'user', content }] });
  }
  await account.post('/images/generations', { prompt: EVIL, store: true });
  await account.post(
    '/chat/completions',
    { model: 'svc-rp-mini', messages: [{ role: 'user', content: EVIL }] },
    { 'user-agent': '<script>window.struck=1</script>' },
  );
  await account.post('/audio/speech', { input: EVIL, voice: 'aria' });
  await account.get(`/music/generations/${encodeURIComponent(EVIL.slice(0, 200))}`);
  await account.post('/webhooks', { url: 'http://127.0.0.1:9/<script>', events: ['image.generation.succeeded'] });
  await emulator.control('POST', '/faults', {
    match: { account_id: account.id, body_contains: EVIL },
    effect: { status: 503 },
  });
  const step = { nodeId: '<img src=x>', type: 'post', params: { text: EVIL, url: 'javascript:window.struck=1' } };
  await emulator.control('POST', '/flows', {
    workspace_id: account.workspaceId,
    name: EVIL.slice(0, 60),
    steps: [step],
  });
  for (const [n, type] of TYPES.entries()) {
    const form = new FormData();
    form.set('file', new Blob([SVG], { type }), `<script>window.struck=${n}</script>.svg`);
    await account.post('/storage/objects', form);
  }
  return account;
}

const account = await hostileRun();
await account.idle();

const AREAS = ['money', 'webhooks?tab=endpoints', 'webhooks', 'output'];

/** Opens a page, and records its requests, new pages and dialogs. */
async function openWatched(name: string, html: string) {
  const { page, context } = await openFile(name, html, { width: 1440, own: true });
  const signs: string[] = [];
  context.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) signs.push(request.url());
  });
  context.on('page', (opened) => signs.push(`a page ${opened.url()}`));
  page.on('dialog', (dialog) => signs.push(dialog.message()));
  const expectNothingRan = async () => {
    expect(await page.evaluate('window.struck')).toBeUndefined();
    const links = await page
      .locator('a, img, audio, video, source')
      .evaluateAll((all) => all.map((each) => each.getAttribute('href') ?? each.getAttribute('src') ?? ''));
    expect(links.filter((link) => /^javascript:|^https?:/i.test(link))).toEqual([]);
    expect(await page.locator('iframe, object, embed, img[src="x"]').count()).toBe(0);
    expect(signs).toEqual([]);
  };
  return { page, expectNothingRan };
}

it.each(['small', 'whole'])(
  'executes and requests nothing from hostile content on the pages of a trace with %s media, which fit a phone',
  async (media) => {
    const printed = [...SCRIPTS, `\u001b]0;title\u0007\u001b[31m${EVIL}`, ` ✕ ${SCRIPTS[4]}\u202e\u0007<!-- 3 ms`];
    const output = printed.map((text, at) => ({ at: Date.now() + at, from: 'out', text }));
    const html = await traceOf(emulator, {
      title: EVIL.slice(0, 400),
      failure: EVIL,
      output,
      account_id: account.id,
      media,
    });
    const objects: { id: string }[] = (await emulator.control('GET', `/objects?account_id=${account.id}`)).body.data;
    expect(objects).toHaveLength(1 + TYPES.length);
    // The record can be parsed although it contains hostile text.
    expect(recordIn(html).head).toBeDefined();
    const { page, expectNothingRan } = await openWatched(`hostile-${media}.html`, html);
    await heading(page).waitFor();
    const lines = page.getByRole('list', { name: 'Lines of output' });
    for (const part of [page.getByRole('grid', { name: 'Requests' }), lines, page.locator('.record-title')])
      await part.getByText('onerror').first().waitFor();
    expect(await lines.textContent()).not.toContain('title');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Steps' }).waitFor();
    await expectNothingRan();
    for (const area of AREAS) {
      await page.evaluate(`location.hash = '/dashboard/${area}'`);
      await page.locator('main h1, main h2').first().waitFor();
      await page.waitForFunction('document.querySelector(".loading") === null');
      await expectNothingRan();
      for (const width of [390, 1440]) {
        await page.setViewportSize({ width, height: 800 });
        expect([area, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([area, width]);
        expect([area, await page.getByRole('alert').count()]).toEqual([area, 0]);
      }
    }
  },
);
