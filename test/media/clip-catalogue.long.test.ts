import { afterAll, expect, it } from 'vitest';
import { readCatalogue } from '../../src/engine/catalogue/catalogue.ts';
import type { Engine } from '../../src/engine/catalogue/catalogue-file.ts';
import { ASPECTS, frameSize } from '../../src/engine/catalogue/clips.ts';
import { clip, decode, openRig } from './render-rig.ts';

const rig = openRig(2);
afterAll(() => rig.renderer.close());

const { engines } = readCatalogue().file;

/** The longest clip of the first aspect, the shortest of the others. */
const rows = engines.flatMap(({ label, seconds, resolutions, audio }) =>
  resolutions.flatMap((resolution) =>
    ASPECTS.map((aspect, at) => {
      const name = label.length === 1 ? `engine ${label}` : label;
      const length = at === 0 ? longest(seconds) : shortest(seconds);
      return [name, resolution, aspect, length, audio !== 'none'] as const;
    }),
  ),
);

function longest(seconds: Engine['seconds']): number {
  return 'max' in seconds ? seconds.max : Math.max(...seconds.oneOf);
}

function shortest(seconds: Engine['seconds']): number {
  return 'min' in seconds ? seconds.min : Math.min(...seconds.oneOf);
}

it.each(rows)(
  'writes a whole clip of %s at %s, %s, %i s, sound: %s [R158 I111 I112]',
  async (engine, resolution, aspect, seconds, audio) => {
    const size = frameSize(resolution, aspect);
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
