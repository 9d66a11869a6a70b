import { PageStore } from '../data/page-store.ts';
import type { Draft } from './call-draft.ts';
import { presetsOf } from './presets.ts';

/** What is in the form of each operation, as long as the page is open. */
class DraftStore extends PageStore<Record<string, Draft>> {
  of(operation: string): Draft {
    return this.value[operation] ?? presetsOf(operation)[0]?.draft ?? {};
  }

  put(operation: string, draft: Draft): void {
    this.set({ ...this.value, [operation]: draft });
  }
}

export const draftStore = new DraftStore({});
