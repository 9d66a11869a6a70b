import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import ffmpeg from '@ffmpeg-installer/ffmpeg';
import { parseFile } from 'music-metadata';
import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RenderRequest } from '../../src/media/render-request.ts';
import { launchBrowser } from '../support/browser.ts';
import { clip, image, openRig } from './render-rig.ts';

const BYTES = 3_000_000;
const SPEECH = { kind: 'speech', model: 'm', text: 'Hello, how are you today?', voice: 'aria' } as const;
const SONG = { kind: 'song', model: 'm', title: 't', style: 's', lyrics: null, seconds: 30, seed: 1 } as const;
const rig = openRig();
const shared: { browser?: Browser } = {};

beforeAll(async () => {
  shared.browser = await launchBrowser();
}, 60_000);
afterAll(async () => {
  await shared.browser?.close();
  await rig.renderer.close();
});

/** In the browser: what it makes of the file, seconds or pixels. */
async function inBrowser(file: string, contentType: string): Promise<number[]> {
  const page = await (shared.browser as Browser).newPage();
  const url = `data:${contentType};base64,${readFileSync(file).toString('base64')}`;
  return page.evaluate(
    `(async () => {
      const url = ${JSON.stringify(url)};
      if (url.startsWith('data:image')) {
        const picture = new Image();
        picture.src = url;
        await picture.decode();
        return [picture.naturalWidth, picture.naturalHeight];
      }
      const bytes = await (await fetch(url)).arrayBuffer();
      if (url.startsWith('data:audio')) {
        const sound = await new OfflineAudioContext(1, 1, 48000).decodeAudioData(bytes);
        return [sound.duration];
      }
      const video = document.createElement('video');
      video.muted = true;
      video.src = URL.createObjectURL(new Blob([bytes], { type: 'video/mp4' }));
      await new Promise((resolve, reject) => {
        video.onended = resolve;
        video.onerror = () => reject(new Error(video.error.message));
        video.play();
      });
      return [video.videoWidth, video.videoHeight, video.currentTime];
    })()`,
  );
}

it.each<[string, RenderRequest, string, number[]]>([
  ['a picture', image({ bytes: BYTES }), 'image/png', [1024, 1024]],
  ['a clip', clip({ seconds: 2, audio: true, bytes: BYTES, prompt: 'snow at night' }), 'video/mp4', [854, 480, 2]],
  ['speech', { ...SPEECH, bytes: BYTES }, 'audio/mpeg', []],
  ['a song', { ...SONG, bytes: BYTES }, 'audio/mpeg', []],
])('pads %s so that ffmpeg, another reader and Chromium accept the file', async (_what, request, type, told) => {
  const target = rig.file(`padded.${type.split('/')[1]}`);
  const { seconds } = await rig.renderer.render(request, target);
  expect(statSync(target).size).toBe(BYTES);
  const strict = ['-nostdin', '-v', 'error', '-err_detect', 'explode', '-xerror', '-i', target, '-f', 'null', '-'];
  expect(spawnSync(ffmpeg.path, strict).stderr.toString()).toBe('');
  if (request.kind === 'image') expect((await sharp(target).raw().toBuffer()).length).toBeGreaterThan(1024 * 1024);
  else {
    // This reader counts what decoders cut off before and after the sound, too: up to three frames.
    const { duration = 0 } = (await parseFile(target, { duration: true })).format;
    expect(Math.abs(duration - (seconds ?? 0))).toBeLessThan(0.12);
  }
  const seen = await inBrowser(target, type);
  const lengths = told.length > 0 ? told : [seconds ?? 0];
  expect(seen).toHaveLength(lengths.length);
  for (const [at, length] of lengths.entries()) expect(Math.abs((seen[at] ?? 0) - length)).toBeLessThan(0.1);
});
