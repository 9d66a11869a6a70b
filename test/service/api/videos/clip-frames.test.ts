import { expect, it } from 'vitest';
import { endColours } from '../../../support/clip-probe.ts';
import { flatPicture } from '../../../support/flat-picture.ts';
import { world } from '../../../support/world.ts';
import { ENGINES, VIDEOS } from './engine-table.ts';

const here = await world();

it('a clip begins and ends with the pictures it was given [I117 R110 R111]', async () => {
  const ana = await here.account({ credits: 500 });
  const made = await ana.made(VIDEOS, {
    ...{ model: ENGINES.M.model, prompt: 'a pier', resolution: '480p' },
    ...{
      reference: await flatPicture('rgb(200,30,30)'),
      end_reference: await flatPicture('rgb(30,30,200)'),
    },
  });
  const { bytes } = await here.call('GET', made.body.result_url);
  const { first, last } = await endColours(bytes);
  const off = (met: number[], asked: number[]) => Math.max(...met.map((part, at) => Math.abs(part - (asked[at] ?? 0))));
  expect(off(first, [200, 30, 30])).toBeLessThan(25);
  expect(off(last, [30, 30, 200])).toBeLessThan(25);
});
