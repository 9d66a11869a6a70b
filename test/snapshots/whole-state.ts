import type { World } from '../support/world.ts';

const LISTS = ['accounts', 'jobs', 'events', 'deliveries', 'elements', 'library', 'flows'];

/** All that can be seen of a state from outside, but for the journal and what is signed for the moment. */
export async function wholeState(here: World): Promise<Record<string, unknown>> {
  const state: Record<string, unknown> = {};
  for (const list of LISTS) {
    const data: Record<string, unknown>[] = [];
    for (let after = ''; ; ) {
      const page = (await here.control('GET', `/${list}?limit=500${after}`)).body.data;
      data.push(...page);
      if (page.length < 500) break;
      after = `&after=${page.at(-1).id}`;
    }
    state[list] = data;
  }
  for (const { id } of state.accounts as { id: string }[]) {
    state[`ledger of ${id}`] = (await here.control('GET', `/accounts/${id}/usage`)).body.data;
  }
  return state;
}
