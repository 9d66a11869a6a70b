import { PageStore } from '../data/page-store.ts';

/** What somebody writes who pressed `/` while the page was still being loaded; undefined for nobody. */
class EarlySearch extends PageStore<string | undefined> {
  /** Takes a key that no box can take yet; answers whether it did. */
  press(key: string): boolean {
    if (!document.querySelector('#area > .loading')) {
      this.set(undefined);
      return false;
    }
    if (this.value === undefined && key !== '/') return false;
    if (this.value === undefined) this.set('');
    else if (key.length === 1) this.set(this.value + key);
    else if (key === 'Backspace') this.set(this.value.slice(0, -1));
    return true;
  }

  /** What was written so far, for the box that is there now. */
  take(): string | undefined {
    const { value } = this;
    this.set(undefined);
    return value;
  }
}

export const earlySearch = new EarlySearch(undefined);
