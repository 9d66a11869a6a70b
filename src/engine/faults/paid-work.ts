import type { ModelKind } from '../catalogue/catalogue.ts';

/** The work of a paid operation, which decides which faults can act on it. */
interface PaidWork {
  /** The kind of its model; storage has none. */
  model?: ModelKind;
  /** Its answer may be a stream of events. */
  streams?: true;
  /** Its end is announced to webhooks. */
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
