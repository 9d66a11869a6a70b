import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import chromium from '@sparticuz/chromium';
import { chromium as playwright } from 'playwright-core';
import sharp from 'sharp';
import { startEmulator } from '../dist/index.js';
import { takeCheckPicture } from './check-picture.mjs';

const folder = fileURLToPath(new URL('../screenshots/', import.meta.url));

/** Every page: its name, its address or a function that returns it, and optionally an action before the screenshot. */
const PAGES = [
  ['live', '/dashboard/live'],
  ['live-search', '/dashboard/live?q=lamp is:failed'],
  ['live-failed', '/dashboard/live?q=is:failed'],
  ['live-none', '/dashboard/live?q=zeppelin status:402'],
  ['timeline-failed', () => timelineOf('is:failed has:job')],
  ['timeline-clip', () => timelineOf('path:videos is:done has:job')],
  ['timeline-chat', () => timelineOf('path:chat is:done')],
  ['money', '/dashboard/money'],
  ['people', '/dashboard/people'],
  ['people-account', () => firstOf('accounts', 'people')],
  ['gallery', '/dashboard/gallery'],
  ['gallery-clip', () => galleryOf('video')],
  ['gallery-song', () => galleryOf('music')],
  ['gallery-elements', '/dashboard/gallery?tab=elements'],
  ['gallery-storage', '/dashboard/gallery?tab=storage'],
  ['playground', '/dashboard/playground'],
  ['playground-clip', '/dashboard/playground/createVideo'],
  ['playground-song', '/dashboard/playground/createSong', sendDraft],
  ['jobs', '/dashboard/jobs'],
  ['webhooks', '/dashboard/webhooks'],
  ['webhooks-endpoints', '/dashboard/webhooks?tab=endpoints'],
  ['webhooks-inbox', '/dashboard/webhooks?tab=inbox'],
  ['webhooks-card', '/dashboard/webhooks?tab=card'],
  ['flows', '/dashboard/flows'],
  ['flows-runs', '/dashboard/flows?tab=runs'],
  ['flows-run', () => firstOf('runs', 'flows')],
  ['verdict', '/dashboard/verdict'],
  ['faults', '/dashboard/faults'],
  ['faults-new', '/dashboard/faults/new'],
  ['faults-snapshots', '/dashboard/faults?view=snapshots'],
  ['docs', '/docs'],
];
const THEMES = ['light', 'dark'];
const SIZES = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };

/**
 * Takes screenshots of every page with the demo's account, in both themes and sizes: `npm run screenshots [-- PAGE …]`.
 * `npm run screenshots -- --crowd [PAGE …]` adds 1,000 requests of three accounts. The page `check` is the picture of that
 * command, which runs for some minutes.
 */
const wanted = process.argv.slice(2).filter((word) => word !== '--crowd');
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const emulator = await startEmulator({ demo: true, log: 'silent' });
await emulator.waitFor.event('flow.run.waiting', { timeout: 120 });
await emulator.waitFor.idle({ timeout: 120 });
await sendOddRequests();
if (process.argv.includes('--crowd')) await sendCrowd();
await armRules();
const browser = await playwright.launch({
  args: chromium.args.filter((flag) => flag !== '--single-process'),
  executablePath: await chromium.executablePath(),
});
try {
  for (const theme of THEMES) for (const size of Object.keys(SIZES)) await shootAll(theme, size);
  if (wanted.length === 0 || wanted.includes('check')) await takeCheckPicture(browser);
} finally {
  await browser.close();
  await emulator.close();
}

/** Special rows of the live page: a refusal, a near miss, a warning, a retry. */
async function sendOddRequests() {
  const headers = {
    authorization: 'Bearer svc_sk_local_emulator',
    'content-type': 'application/json',
  };
  const messages = [{ role: 'user', content: 'Are you there? مرحبا <b>you</b>' }];
  const send = (route, body, more = {}) =>
    fetch(emulator.url + route, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify(body),
    });
  await send('/v1/responses', { input: 'Hello' });
  await send('/v1/chat/completions', { model: 'gpt-unknown', messages });
  await send('/v1/chat/completions', { model: 'svc-rp-mini', messages, top_p: 1, seed: 3 });
  const retry = { 'x-stainless-retry-count': '1' };
  await send('/v1/chat/completions', { model: 'svc-rp-mini', messages }, retry);
}

/** A thousand requests of three accounts: chats, images and speech. Some are refused, and one account has few credits. */
async function sendCrowd() {
  const owners = [
    { name: 'shop-staging', credits: 100_000 },
    { name: 'shop-ci', credits: 20_000 },
    { name: 'Trial 7', credits: 400 },
  ];
  const accounts = await Promise.all(owners.map((order) => emulator.account(order)));
  const say = (content) => ({ model: 'svc-rp-mini', messages: [{ role: 'user', content }] });
  const kinds = [
    (n) => ['/v1/chat/completions', say(`Write the product text for bowl number ${n}, 60 words`)],
    (n) => ['/v1/chat/completions', { ...say(`Explain tide ${n} to a child`), stream: true }],
    (n) => ['/v1/images/generations', { prompt: `a blue enamel mug, picture ${n % 40}` }],
    (n) => ['/v1/audio/speech', { input: `The light turns once every ${n} seconds.`, voice: 'aria' }],
    (n) => ['/v1/chat/completions', n % 5 === 0 ? { model: 'gone' } : say(`Are you there, number ${n}?`)],
  ];
  for (let n = 0; n < 1000; n += 20) {
    const some = Array.from({ length: 20 }, (_, at) => {
      const [path, body] = kinds[(n + at) % kinds.length](n + at);
      const headers = { authorization: `Bearer ${accounts[(n + at) % 3].apiKey}`, 'content-type': 'application/json' };
      return fetch(emulator.url + path, { method: 'POST', headers, body: JSON.stringify(body) }).then((answer) =>
        answer.arrayBuffer(),
      );
    });
    await Promise.all(some);
  }
  await emulator.waitFor.idle({ timeout: 120 });
}

/** Sends the request, and waits for its response. */
async function sendDraft(page) {
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('region', { name: 'Response', exact: true }).waitFor();
}

/** Waits until pictures and waveforms are rendered. */
async function settleMedia(page) {
  const waves = await page.locator('.wave').count();
  if (waves > 0)
    await page
      .locator('.wave canvas')
      .nth(waves - 1)
      .waitFor();
  await page.evaluate('Promise.all([...document.images].map((image) => image.decode().catch(() => undefined)))');
}

/** The timeline of the newest order that matches a search. */
async function timelineOf(q) {
  const response = await fetch(`${emulator.url}/_emulator/orders?limit=1&q=${encodeURIComponent(q)}`);
  return `/dashboard/timeline/${(await response.json()).data[0].id}`;
}

async function galleryOf(kind) {
  return `/dashboard/gallery/${await entryOf(kind)}`;
}

/** The page of the newest item of a list. */
async function firstOf(list, area) {
  const response = await fetch(`${emulator.url}/_emulator/${list}?limit=1`);
  return `/dashboard/${area}/${(await response.json()).data[0].id}`;
}

/** The id of the newest render of a kind. */
async function entryOf(kind) {
  const response = await fetch(`${emulator.url}/_emulator/library?kind=${kind}`);
  return (await response.json()).data[0].id;
}

/** Adds fault rules without delays, and a snapshot. */
async function armRules() {
  const effect = { status: 503, code: 'overloaded', retry_after: 2 };
  await emulator.faults.add({ match: { path: '/v1/audio' }, effect, times: 3 });
  await emulator.faults.add({ match: { contains: 'storm' }, effect: { stream: { cut_after: 5 } } });
  await emulator.snapshot('after-the-demo');
}

/** Waits until the page shows its content, or that there is none. */
async function settle(page) {
  await page
    .locator('.list-row, .tile, .empty, .step, .panels, .tiles, .workbench, .docs-text p, .form, .section')
    .first()
    .waitFor();
}

async function writeForReadme(image, theme) {
  const file = fileURLToPath(new URL(`../docs/images/order-${theme}.png`, import.meta.url));
  await sharp(image).png({ palette: true, quality: 90, effort: 10 }).toFile(file);
}

async function shootAll(theme, size) {
  const context = await browser.newContext({ viewport: SIZES[size], colorScheme: theme });
  const page = await context.newPage();
  for (const [name, address, act] of PAGES) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    await page.goto(emulator.url + (typeof address === 'string' ? address : await address()));
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.waitForLoadState('load');
    await page.getByRole('heading').first().waitFor();
    if (act) await act(page);
    await page.evaluate('document.fonts.ready');
    await settle(page);
    await settleMedia(page);
    const image = await page.screenshot({ path: path.join(folder, `${name}-${theme}-${size}.png`) });
    if (name === 'timeline-failed' && size === 'wide') await writeForReadme(image, theme);
  }
  await context.close();
}
