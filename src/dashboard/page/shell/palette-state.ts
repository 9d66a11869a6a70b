import { PageStore } from '../data/page-store.ts';

/** Whether the command palette is open. */
export const paletteOpen = new PageStore(false);

export function openPalette(): void {
  paletteOpen.set(true);
}
