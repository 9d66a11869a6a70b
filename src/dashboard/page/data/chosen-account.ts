import { KeptStore, useStore } from './page-store.ts';
import { useList } from './queries.ts';
import type { Account } from './records.ts';

/** The key that every fresh emulator knows: that of its first account. */
export const WELL_KNOWN_KEY = 'svc_sk_local_emulator';

const chosen = new KeptStore('account', '');

export function chooseAccount(id: string): void {
  chosen.set(id);
}

/** All accounts, newest first, and the one whose pages these are: the first ever, unless another one was chosen. */
export function useAccounts() {
  const id = useStore(chosen);
  const { data: accounts = [], isPending } = useList<Account>('/accounts');
  const first = accounts.at(-1);
  const account = accounts.find((each) => each.id === id) ?? first;
  return { accounts, account, isFirst: account !== undefined && account === first, isPending };
}
