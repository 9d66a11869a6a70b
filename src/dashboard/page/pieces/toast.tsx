import { PageStore } from '../data/page-store.ts';
import type { Tone } from './values.tsx';

/** Something that is said at the edge of the page. */
interface ToastMessage {
  title: string;
  note?: string | undefined;
  tone: Tone;
  isError: boolean;
}

/** What waits to be shown; undefined as long as nothing was ever said. */
export const pendingToasts = new PageStore<readonly ToastMessage[] | undefined>(undefined);

/** Says something for a few seconds, at the edge of the page. */
export function showToast(title: string, note?: string, tone: Tone = 'plain'): void {
  queue({ title, note, tone, isError: false });
}

/** Says what went wrong. */
export function showError(error: unknown): void {
  const title = error instanceof Error ? error.message : String(error);
  queue({ title, tone: 'bad', isError: true });
}

function queue(said: ToastMessage): void {
  pendingToasts.set([...(pendingToasts.value ?? []), said]);
}
