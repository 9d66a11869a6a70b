import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { locatePackagedFfmpeg } from '../../src/media/ffmpeg.ts';
import { parseIntraSlices } from '../../src/media/h264/slices.ts';

const INTRA = 'keyint=1:scenecut=0:bframes=0:threads=1:slices=1:no-psy=1:chroma-qp-offset=0';

it.each([
  ['uses CABAC', `${INTRA}:cabac=1`],
  ['has several slices for each picture', INTRA.replace('slices=1', 'slices=3')],
  ['uses the deblocking filter', `${INTRA}:no-deblock=0:deblock=1,1`],
])('rejects an H.264 stream of its own encoder that %s', (_, parameters) => {
  const input = ['-v', 'error', '-f', 'lavfi', '-i', 'testsrc=size=160x96:rate=24', '-frames:v', '3'];
  const coder = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-x264-params', parameters];
  const stream = execFileSync(locatePackagedFfmpeg().path, [...input, ...coder, '-f', 'h264', '-']);
  expect(() => parseIntraSlices(stream)).toThrow(/x264/);
});
