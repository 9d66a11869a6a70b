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

const MEBIBYTE = 1_048_576;
/** What all workers and encoders may hold together. */
const MOST = 260 * MEBIBYTE;
/** What a worker holds once it has rendered, whatever it does then: its engines, one picture, the encoder's pieces. */
const WORKER = 30 * MEBIBYTE;
/** What a clip takes beside that, in its worker and its encoder. */
const CLIP = 15 * MEBIBYTE;
const PIXEL = 20;

/** Bounds what is rendered at once by its size, so that large clips take turns however many workers there are. */
export class RenderRoom {
  readonly #room: number;
  #taken = 0;

  constructor(workers: number) {
    this.#room = MOST - workers * WORKER;
  }

  /** Whether a request may begin now; what is larger than all the room may when it is alone. */
  fits(request: RenderRequest): boolean {
    const needed = roomOf(request);
    return needed === 0 || this.#taken === 0 || this.#taken + needed <= this.#room;
  }

  take(request: RenderRequest): void {
    this.#taken += roomOf(request);
  }

  leave(request: RenderRequest): void {
    this.#taken -= roomOf(request);
  }
}

function roomOf(request: RenderRequest): number {
  return request.kind === 'clip' ? CLIP + PIXEL * request.width * request.height : 0;
}
