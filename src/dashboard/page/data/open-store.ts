import type { OpenRequest } from '../../../journal/open-requests.ts';
import { PageStore } from './page-store.ts';

export type { OpenRequest };

/** The requests that are under way, newest first, as the live stream tells of them. */
class OpenStore extends PageStore<readonly OpenRequest[]> {
  /** Those that have a row: what comes of them belongs into it, also while nothing else may move. */
  shown: readonly string[] = [];

  hear({ open }: { open?: readonly OpenRequest[] }): void {
    if (open) this.set(open);
  }
}

export const openStore = new OpenStore([]);
