import { PageStore } from '../data/page-store.ts';
import type { Tone } from './values.tsx';

/** A message in the corner of the page. */
interface ToastMessage {
  title: string;
  note?: string | undefined;
  tone: Tone;
  isError: boolean;
}

/** Messages to be shown; undefined until the first one. */
export const pendingToasts = new PageStore<readonly ToastMessage[] | undefined>(undefined);

/** Shows a message in the corner for a few seconds. */
export function showToast(title: string, note?: string, tone: Tone = 'plain'): void {
  queue({ title, note, tone, isError: false });
}

/** Shows an error in the corner. */
export function showError(error: unknown): void {
  const title = error instanceof Error ? error.message : String(error);
  queue({ title, tone: 'bad', isError: true });
}

function queue(said: ToastMessage): void {
  pendingToasts.set([...(pendingToasts.value ?? []), said]);
}
