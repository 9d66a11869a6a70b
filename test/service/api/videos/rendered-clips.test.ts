import { expect, it } from 'vitest';
import { probeClip } from '../../../support/clip-probe.ts';
import { world } from '../../../support/world.ts';
import { ENGINES, OWN, VIDEOS } from './engine-table.ts';

const here = await world();
const { A, B, D, G, J, K, L, M, N, O } = ENGINES;

it.each([
  ['the own engine', { model: OWN, aspect: '16:9' }, 1366, 768, 5, true, 'R070 R073 I111'],
  ['A, tall', { model: A.model, resolution: '480p', aspect: '9:16' }, 480, 854, 4, true, 'R075 I111'],
  ['B, square, without sound', { model: B.model, aspect: '1:1', audio: false }, 720, 720, 4, false, 'R077 I111 I113'],
  ['D, without sound', { model: D.model, aspect: '4:3', audio: false }, 960, 720, 3, false, 'R081 I111 I113'],
  ['G, always silent', { model: G.model, aspect: '3:4', audio: true }, 720, 960, 2, false, 'R087 I113'],
  [
    'J, with sound though none was asked for',
    { model: J.model, resolution: '480p', audio: false },
    854,
    480,
    4,
    true,
    'R092 I113',
  ],
  ['K, wide', { model: K.model, resolution: '480p', aspect: '21:9' }, 1120, 480, 5, false, 'R094 I111'],
  ['L, one second', { model: L.model, resolution: '480p' }, 854, 480, 1, false, 'R096'],
  ['L, 1080p', { model: L.model, resolution: '1080p' }, 1920, 1080, 1, false, 'R096 I111'],
  ['M, with its sound', { model: M.model, resolution: '480p' }, 854, 480, 4, true, 'R098'],
  ['N, with sound', { model: N.model, aspect: '1:1' }, 720, 720, 4, true, 'R100 I113'],
  ['O, two seconds', { model: O.model, resolution: '480p' }, 854, 480, 2, true, 'R102'],
])('a clip of %s with %j is %i × %i and %i seconds long, its sound %j [%s]', async (...row) => {
  const [, order, width, height, seconds, sound] = row;
  const ana = await here.account({ credits: 2000 });
  const { body } = await ana.made(VIDEOS, { prompt: 'a windmill', ...order });
  expect(body).toMatchObject({ status: 'succeeded', seconds, audio: sound });
  const { bytes, headers } = await here.call('GET', body.result_url);
  expect(headers.get('content-type')).toBe('video/mp4');
  expect(await probeClip(bytes)).toEqual({ width, height, seconds, sound });
});
