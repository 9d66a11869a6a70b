import { PersistedStore, useStore } from './browser.ts';

export const MAX_SEARCH = 200;

export const chosenAccount = new PersistedStore('account', '');

export const chooseAccount = (id: string) => chosenAccount.set(id);

/** The account that filters all lists. Undefined for all accounts. */
export function useOnlyAccount(): string | undefined {
  return useStore(chosenAccount) || undefined;
}
