import { expect, it } from 'vitest';
import { sharedBrowser } from '../support/browser.ts';
import { EXACT_RENDERS, world } from '../support/world.ts';

const here = await world({}, EXACT_RENDERS);
const VIDEO = { prompt: 'a taxi in the rain', seconds: 2, model: 'vid_eh3rnwli', resolution: '480p' };
const SONG = { style: 'indie pop, piano', prompt: 'a song of rain', seconds: 30, n: 1 };

/** Runs in the browser: plays a file to its end at eight times the speed, then seeks back. Rejects on an error. */
const play = (tag: string, url: string) => `(async () => {
  const player = document.createElement('${tag}');
  const heard = (name) => new Promise((resolve, reject) => {
    player.addEventListener(name, resolve, { once: true });
    player.addEventListener('error', () => reject(new Error(player.error.message)), { once: true });
  });
  const ended = heard('ended');
  Object.assign(player, { muted: true, src: ${JSON.stringify(url)} });
  await player.play();
  player.playbackRate = 8;
  await ended;
  const seeked = heard('seeked');
  player.currentTime = 1.5;
  await seeked;
  return { length: player.duration, at: player.currentTime };
})()`;

it.each<[string, string, string, object]>([
  ['a video', 'video', '/videos/generations', VIDEO],
  ['a padded video', 'video', '/videos/generations', { ...VIDEO, prompt: 'snow at night [[bytes:3MB]]' }],
  ['a song', 'audio', '/music/generations', SONG],
  ['padded speech', 'audio', '/audio/speech', { input: 'Hello, how are you? [[bytes:3MB]]', voice: 'aria' }],
])('renders %s that a browser plays to its end and seeks in, with the right length [R051]', async (...row) => {
  const [, tag, path, order] = row;
  const account = await here.account({ plan: 'studio', credits: 1000 });
  await account.post(path, order);
  await here.advance(0);
  const [entry] = await account.library();
  const page = await (await sharedBrowser()).newPage();
  await page.goto(`${here.url}/dashboard`);
  const played = await page.evaluate<{ length: number; at: number }>(play(tag, String(entry?.url)));
  await page.close();
  expect(played.length).toBeCloseTo(entry?.duration, 1);
  expect(played.at).toBeCloseTo(1.5, 1);
  if (JSON.stringify(order).includes('3MB')) expect(entry?.bytes).toBe(3_000_000);
});
