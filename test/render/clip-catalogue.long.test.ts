import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { clip, decode, openRig } from './render-rig.ts';

const rig = openRig(2);
afterAll(() => rig.renderer.close());

interface Engine {
  label: string;
  seconds: { min: number; max: number };
  resolutions: string[];
  audio: string;
}

const { engines } = JSON.parse(
  readFileSync(new URL('../../fixtures/catalogue.json', import.meta.url), 'utf8'),
) as { engines: Engine[] };
const aspects = ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'];

/** The short side is the resolution's number; the long one is the nearest even number. */
function sizeOf(resolution: string, aspect: string): { width: number; height: number } {
  const short = resolution === '2k' ? 1440 : Number.parseInt(resolution, 10);
  const [across = 1, down = 1] = aspect.split(':').map(Number);
  const long = 2 * Math.round((short * Math.max(across, down)) / Math.min(across, down) / 2);
  return across >= down ? { width: long, height: short } : { width: short, height: long };
}

const rows = engines.flatMap(({ label, seconds, resolutions, audio }) =>
  resolutions.flatMap((resolution) =>
    aspects.map((aspect, at) => {
      const length = at === 0 ? seconds.max : seconds.min;
      return [
        label.length === 1 ? `engine ${label}` : label,
        resolution,
        aspect,
        length,
        audio !== 'none',
      ] as const;
    }),
  ),
);

it.each(rows)(
  'writes a whole clip of %s at %s, %s, %i s, sound: %s [R158 I111 I112]',
  async (engine, resolution, aspect, seconds, audio) => {
    const size = sizeOf(resolution, aspect);
    const target = rig.file('whole.mp4');
    await rig.renderer.render(
      clip({ engine, ...size, seconds, audio, prompt: `${engine} ${resolution} ${aspect}` }),
      target,
    );
    expect(decode(target)).toEqual({
      ...{ faults: '', frames: seconds * 24, size: `${size.width}x${size.height}`, seconds },
      codecs: audio ? ['h264', 'aac'] : ['h264'],
    });
  },
);
