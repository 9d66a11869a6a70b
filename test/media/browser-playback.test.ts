import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { sharedBrowser } from '../support/browser.ts';
import { clip, openRig } from './render-rig.ts';

/** Runs in the browser: plays to the end, then goes back. */
const PLAY = `(async () => {
  const video = document.querySelector('video');
  const once = (name) =>
    new Promise((resolve, reject) => {
      video.addEventListener(name, resolve, { once: true });
      video.addEventListener('error', () => reject(new Error(video.error.message)), { once: true });
    });
  const ended = once('ended');
  await video.play();
  await ended;
  const seeked = once('seeked');
  video.currentTime = 2.4;
  await seeked;
  return { length: video.duration, width: video.videoWidth, height: video.videoHeight, at: video.currentTime };
})()`;

it('plays videos in a browser to their end without an error', async () => {
  const rig = openRig();
  const target = rig.file('clip.mp4');
  await rig.renderer.render(
    clip({ prompt: 'a taxi in the rain', seconds: 3, audio: true, shot: 'zoom', lastFrame: { standIn: 'end' } }),
    target,
  );
  await rig.renderer.close();
  const bytes = readFileSync(target);
  const server = createServer((request, response) => {
    if (request.url !== '/clip.mp4') {
      response.setHeader('content-type', 'text/html').end('<video src="/clip.mp4" muted></video>');
      return;
    }
    const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const range = `bytes ${from}-${bytes.length - 1}/${bytes.length}`;
    response.writeHead(206, { 'content-type': 'video/mp4', 'content-range': range });
    response.end(bytes.subarray(from));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const page = await (await sharedBrowser()).newPage();
  try {
    await page.goto(`http://127.0.0.1:${port}/`);
    const played = await page.evaluate(PLAY);
    expect(played).toEqual({ length: 3, width: 854, height: 480, at: 2.4 });
  } finally {
    await page.close();
    server.close();
  }
});
