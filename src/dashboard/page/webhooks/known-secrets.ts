import { PageStore } from '../data/page-store.ts';

/** Secrets of the endpoints that were made on this page, by id: nobody tells them again, and a reload forgets them. */
export const knownSecrets = new PageStore<Readonly<Record<string, string>>>({});

export function keepSecret(endpointId: string, secret: string): void {
  knownSecrets.set({ ...knownSecrets.value, [endpointId]: secret });
}
