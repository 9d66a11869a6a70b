import type { ErrorCode } from '../errors.ts';
import type { RenderedFile, RenderRequest } from './render-request.ts';

/** What a worker is born with. */
export interface WorkerSetup {
  scratchFolder: string;
  ffmpegPath?: string;
  timeLimitMs: number;
}

/** From the pool to a worker. */
export type Order =
  | { kind: 'render'; id: number; request: RenderRequest; target: string }
  | { kind: 'cancel'; id: number }
  | { kind: 'warm' };

/** A finished render. What is made in no time comes with its `content`: the pool writes its file, while the worker goes on. */
export interface Rendered {
  file: RenderedFile;
  content?: Uint8Array;
}

/** From a worker to the pool. */
export type Report =
  | { kind: 'progress'; id: number; share: number }
  | ({ kind: 'done'; id: number } & Rendered)
  | { kind: 'failed'; id: number; code: ErrorCode; message: string; param: string | null };
