import type { RenderRequest } from './render-request.ts';

/**
 * How long the largest render of a kind may be expected to take, in real milliseconds: on a slow and busy machine, in a
 * worker that is only starting, so that nothing is ended which others have slowed down.
 */
const EXPECTED: Record<RenderRequest['kind'], number> = {
  image: 3000,
  thumbnail: 3000,
  speech: 3000,
  clip: 4000,
  song: 5000,
};

const OVERRUN = 10;

/** After how many real milliseconds a render is ended: whoever waits for another one is not kept from it for a minute. */
export function timeLimit(kind: RenderRequest['kind']): number {
  return OVERRUN * EXPECTED[kind];
}

/** The longest limit there is. */
export const LONGEST_LIMIT = Math.max(...Object.values(EXPECTED)) * OVERRUN;
