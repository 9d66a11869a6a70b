import { execFileSync, spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { locatePackagedFfmpeg } from '../../src/media/ffmpeg.ts';
import { encodeKeyframe, parseIntraSlices } from '../../src/media/h264/slices.ts';
import { pictureParameterSet, sequenceParameterSet } from '../../src/media/h264/stream-parameters.ts';

const [WIDTH, HEIGHT] = [160, 96];
const START = Buffer.from([0, 0, 0, 1]);
const size = { columns: WIDTH / 16, rows: HEIGHT / 16, crop: { width: WIDTH, height: HEIGHT }, framesPerSecond: 24 };
const RAW = ['-f', 'rawvideo', '-pix_fmt', 'yuv420p'];

function coded(source: string, options: string[]): Buffer {
  const input = ['-f', 'lavfi', '-i', `${source}=size=${WIDTH}x${HEIGHT}:rate=24`, '-frames:v', '3'];
  const coder = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-f', 'h264'];
  return execFileSync(locatePackagedFfmpeg().path, ['-v', 'error', ...input, ...coder, ...options, '-']);
}

function decoded(input: Buffer): Buffer {
  const strict = ['-v', 'error', '-xerror', '-err_detect', 'explode', '-f', 'h264', '-i', '-'];
  const run = spawnSync(locatePackagedFfmpeg().path, [...strict, ...RAW, '-'], { input });
  expect(run.stderr.toString()).toBe('');
  return run.stdout;
}

const INTRA = 'keyint=1:scenecut=0:bframes=0:threads=1:slices=1:no-psy=1:chroma-qp-offset=0';

it.each([
  ['a test picture', 'testsrc', '4'],
  ['bars', 'smptebars', '21'],
  ['coarse steps', 'testsrc2', '40'],
])('rewrites the encoded key frame of %s without changing a pixel', (_, source, quantiser) => {
  const stream = coded(source, ['-qp', quantiser, '-x264-params', INTRA]);
  const slices = parseIntraSlices(stream);
  const ours = slices.flatMap((slice, at) => [START, encodeKeyframe(slice, at)]);
  const own = Buffer.concat([START, sequenceParameterSet(size), START, pictureParameterSet(), ...ours]);
  expect(slices).toHaveLength(3);
  expect(decoded(own).equals(decoded(stream))).toBe(true);
});

it.each([
  ['uses CABAC', ['-x264-params', `${INTRA}:cabac=1`]],
  ['has several slices for each picture', ['-x264-params', INTRA.replace('slices=1', 'slices=3')]],
  ['uses the deblocking filter', ['-x264-params', `${INTRA}:no-deblock=0:deblock=1,1`]],
])('rejects an H.264 stream that %s', (_, options) => {
  expect(() => parseIntraSlices(coded('testsrc', options))).toThrow(/x264/);
});
