import type { RenderRequest } from './render-request.ts';

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
