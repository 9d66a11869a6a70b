import type { ImageRequest } from '../../src/media/render-request.ts';

export const SUBJECTS = [
  ...['a lighthouse at dusk', 'snowy peaks', 'a city at night', 'a fox in a forest'],
  ...['dunes', 'a reef', 'a lake'],
];

/** A picture not seen before, of each subject in turn; `at` is at least -7,000. */
export function picture(at: number): ImageRequest {
  const prompt = `${SUBJECTS[(at + 7000) % SUBJECTS.length]}, number ${at}`;
  return { kind: 'image', model: 'svc-image-one', prompt, seed: at + 7000 };
}

/** A round of pictures, of each subject as many, with as many at every moment as there are lanes. */
export function inFlight(lanes: readonly ((at: number) => Promise<unknown>)[]) {
  return async (round: number) => {
    const pictures = 8 * SUBJECTS.length;
    let at = 2000 + round * pictures;
    const end = at + pictures;
    const work = async (act: (at: number) => Promise<unknown>) => {
      while (at < end) await act(at++);
    };
    await Promise.all(lanes.map(work));
  };
}
