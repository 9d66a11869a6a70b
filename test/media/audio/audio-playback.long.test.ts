import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { renderSong } from '../../../src/media/song/render-song.ts';
import { renderSpeech } from '../../../src/media/speech/render-speech.ts';
import { launchBrowser } from '../../support/browser.ts';
import { rendered } from './audio-tools.ts';
import { songRequest } from './song-requests.ts';

/** Runs in the browser: plays to the end at eight times the speed; an error rejects. */
const PLAY = `new Promise((resolve, reject) => {
  const audio = document.querySelector('audio');
  audio.onended = () => resolve({ length: audio.duration, at: audio.currentTime });
  audio.onerror = () => reject(new Error(audio.error.message));
  audio.playbackRate = 8;
  audio.play().catch(reject);
})`;

const speech = {
  kind: 'speech',
  model: 'svc-voice-one',
  text: 'Hello, who is there?',
  voice: 'aria',
} as const;

it.each([
  ['a song', () => rendered((target, tools) => renderSong(songRequest(), target, tools))],
  ['speech', () => rendered((target, tools) => renderSpeech(speech, target, tools))],
])(
  'plays %s in a browser to its end, with the right length and no error [R051 R170]',
  async (_what, make) => {
    const { bytes, file } = await make();
    const server = createServer((request, response) => {
      const isAudio = request.url === '/audio.mp3';
      response.setHeader('content-type', isAudio ? 'audio/mpeg' : 'text/html');
      response.end(isAudio ? bytes : '<audio src="/audio.mp3" muted></audio>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${port}/`);
      const played = await page.evaluate<{ length: number; at: number }>(PLAY);
      expect(played.length).toBeCloseTo(file.seconds ?? 0, 1);
      expect(played.at).toBeCloseTo(played.length, 1);
    } finally {
      await browser.close();
      server.close();
    }
  },
  60_000,
);
