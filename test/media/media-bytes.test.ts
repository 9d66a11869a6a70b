import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import ffmpeg from '@ffmpeg-installer/ffmpeg';
import sharp from 'sharp';
import { afterAll, expect, it } from 'vitest';
import type { RenderRequest } from '../../src/media/render-request.ts';
import { clip, decode, image, openRig } from './render-rig.ts';

const rig = openRig();
afterAll(() => rig.renderer.close());

async function rendered(request: RenderRequest): Promise<string> {
  const target = rig.file(`${request.kind}-${'bytes' in request ? request.bytes : 0}`);
  const { bytes } = await rig.renderer.render(request, target);
  expect(readFileSync(target)).toHaveLength(bytes);
  return target;
}

/** The MD5 of all pixels and samples that a decoder reads from a file. */
function decoded(path: string): string {
  const run = spawnSync(ffmpeg.path, [
    '-nostdin',
    '-v',
    'error',
    '-i',
    path,
    '-map',
    '0:v?',
    '-map',
    '0:a?',
    '-f',
    'md5',
    '-',
  ]);
  return run.stdout.toString() + run.stderr.toString();
}

const SMALL = { width: 426, height: 240, seconds: 1 };
const SPEECH = { kind: 'speech', model: 'm', text: 'Hello.', voice: 'aria' } as const;
const SONG = { kind: 'song', model: 'm', title: 't', style: 's', lyrics: null, seconds: 30, seed: 1 } as const;

/** A strict decoder must still accept the padded video. */
it.each<[string, RenderRequest]>([
  ['an image', image({})],
  ['a video', clip({ ...SMALL, audio: true })],
  ['speech', SPEECH],
  ['a song', SONG],
])('pads %s to a requested size without changing a pixel or a sample', async (_what, request) => {
  const plain = await rendered(request);
  const large = await rendered({ ...request, bytes: 3_000_001 } as RenderRequest);
  expect(readFileSync(large)).toHaveLength(3_000_001);
  const heard = decoded(large);
  expect(heard).toBe(decoded(plain));
  expect(heard).toMatch(/^MD5=/);
  if (request.kind === 'clip') expect(decode(large)).toMatchObject({ faults: '', frames: 24, seconds: 1 });
});

it('does not pad a file that is already larger than requested', async () => {
  const plain = readFileSync(await rendered(SPEECH));
  expect(readFileSync(await rendered({ ...SPEECH, bytes: 1000 })).equals(plain)).toBe(true);
});

it('stores title, recipe, encoder and creation time in a video, and a subtitle with the prompt', async () => {
  const file = await rendered(clip({ ...SMALL, prompt: 'a quiet lake, 世界' }));
  const told = spawnSync(ffmpeg.path, ['-nostdin', '-i', file]).stderr.toString();
  expect(told).toMatch(/title +: a quiet lake, 世界/);
  expect(told).toMatch(/comment +: \{"model":"svc-motion-one","prompt":"a quiet lake/);
  expect(told).toMatch(/encoder +: svc-emulator/);
  expect(told).toMatch(/creation_time +: 2026-01-01T00:00:00/);
  const text = spawnSync(ffmpeg.path, ['-nostdin', '-v', 'error', '-i', file, '-map', '0:s', '-f', 'srt', '-']);
  expect(text.stdout.toString()).toMatch(/a quiet lake, 世界\s+svc-emulator [0-9a-f]{64}/);
});

it('stores in an image its color space, and that it is algorithmic media', async () => {
  const bytes = readFileSync(await rendered(image({})));
  const { xmp } = await sharp(bytes).metadata();
  expect(xmp?.toString()).toContain('http://cv.iptc.org/newscodes/digitalsourcetype/algorithmicMedia');
  expect(bytes.indexOf('sRGB')).toBeGreaterThan(0);
  expect(bytes.indexOf('sRGB')).toBeLessThan(bytes.indexOf('IDAT'));
});
