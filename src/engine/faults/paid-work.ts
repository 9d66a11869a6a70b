import type { ModelKind } from '../catalogue/catalogue-file.ts';

interface PaidWork {
  model?: ModelKind;
  streams?: true;
  announces?: true;
}

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

export function paidWorkOf(operation: PaidOperation): PaidWork {
  return PAID_WORK[operation];
}
