import { afterAll, expect, it } from 'vitest';
import { ASPECT_RATIOS, frameSize, readShippedCatalogue } from '../../src/engine/catalogue/catalogue.ts';
import { clip, decode, openRig } from './render-rig.ts';

const rig = openRig();
afterAll(() => rig.renderer.close());

/** For each resolution of an engine: its longest video in the first aspect ratio, and its shortest in the others. */
const CLIPS = readShippedCatalogue().file.engines.flatMap(({ label, seconds, resolutions, audio }) =>
  resolutions.flatMap((resolution) =>
    ASPECT_RATIOS.map((aspect, at) => {
      const name = label.length === 1 ? `engine ${label}` : label;
      const [shortest, longest] =
        'max' in seconds ? [seconds.min, seconds.max] : [Math.min(...seconds.oneOf), Math.max(...seconds.oneOf)];
      return [name, resolution, aspect, at === 0 ? longest : shortest, audio !== 'none'] as const;
    }),
  ),
);

it.each(CLIPS)(
  'renders a whole video of %s at %s, %s, %i s, sound: %s [R158 I111]',
  async (engine, resolution, aspect, seconds, audio) => {
    const size = frameSize(resolution, aspect);
    const target = rig.file('whole.mp4');
    const prompt = `${engine} ${resolution} ${aspect}`;
    await rig.renderer.render(clip({ engine, ...size, seconds, audio, prompt }), target);
    expect(decode(target)).toEqual({
      ...{ faults: '', frames: seconds * 24, size: `${size.width}x${size.height}`, seconds },
      codecs: audio ? ['h264', 'aac'] : ['h264'],
    });
  },
);
