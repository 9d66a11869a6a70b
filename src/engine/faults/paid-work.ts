import type { ModelKind } from '../catalogue/catalogue.ts';

/** The work of a paid operation, which decides which faults can act on it. */
interface PaidWork {
  model?: ModelKind;
  streams?: true;
  announces?: true;
}

/** The paid operations, as the ledger names them. */
export const PAID_WORK = {
  'chat.completion': { model: 'chat', streams: true },
  'image.generation': { model: 'image', announces: true },
  'video.generation': { model: 'video', announces: true },
  'music.generation': { model: 'music', announces: true },
  'audio.speech': { model: 'speech' },
  'audio.transcription': { model: 'transcription' },
  'storage.object': {},
} as const satisfies Record<string, PaidWork>;

export type PaidOperation = keyof typeof PAID_WORK;

export function paidWork(operation: PaidOperation): PaidWork {
  return PAID_WORK[operation];
}
