import { PageStore } from '../data/page-store.ts';
import type { Tone } from './values.tsx';

/** Something that is said at the edge of the page. */
export interface Said {
  title: string;
  note?: string | undefined;
  tone: Tone;
  isError: boolean;
}

/** What waits to be shown; undefined as long as nothing was ever said. */
export const unsaid = new PageStore<readonly Said[] | undefined>(undefined);

/** Says something for a few seconds, at the edge of the page. */
export function say(title: string, note?: string, tone: Tone = 'plain'): void {
  queue({ title, note, tone, isError: false });
}

/** Says what went wrong. */
export function sayError(error: unknown): void {
  const title = error instanceof Error ? error.message : String(error);
  queue({ title, tone: 'bad', isError: true });
}

function queue(said: Said): void {
  unsaid.set([...(unsaid.value ?? []), said]);
}
