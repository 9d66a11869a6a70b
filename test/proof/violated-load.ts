import type { Answer, World } from '../support/world.ts';

/** Each changes what the ledger or a job says, and not only what is answered. */
const VIOLATIONS = [
  ...['refund.none', 'refund.one_of_two', 'refund.short', 'refund.twice', 'refund.of_success'],
  ...['charge.one_more', 'charge.twice', 'charge.none', 'charge.one_take', 'charge.blocked'],
];
/** After so many rounds of orders another violation takes the place of the last one. */
const ROUNDS = 3;
const SONG = { style: 'slow piano [[fail:take=2]]', instrumental: true, seconds: 30 };

/**
 * Orders as an account of its own to which the service breaks its contract in one way after the other, from the `first` on, until there is
 * no answer. Notes and the list of violations are asked for as well. The invariants tell what a violation broke apart from anything else.
 */
export async function orderUnderViolations(here: World, first: number): Promise<void> {
  // The kill may come before the account is answered.
  const account = await here.account({ plan: 'studio', credits: 100_000 }).catch(() => undefined);
  if (!account) return;
  const control = (...[method, where, body]: Parameters<World['control']>) =>
    here.control(method, where, body).catch(() => undefined);
  for (let n = first; ; n += 1) {
    const violation = VIOLATIONS[n % VIOLATIONS.length];
    const rule = await control('POST', '/faults', { match: { account_id: account.id }, effect: { violation } });
    for (let round = 0; rule && round < ROUNDS; round += 1) {
      const answers: (Answer | undefined)[] = await Promise.all([
        account.post('/music/generations', { ...SONG, seed: round }).catch(() => undefined),
        account.post('/images/generations', { prompt: `a mast ${round} [[fail]]` }).catch(() => undefined),
        account.post('/images/generations', { prompt: `a mast ${round}` }).catch(() => undefined),
        control('POST', '/notes', { text: `${violation} for the ${round + 1}. time` }),
        control('GET', '/violations'),
      ]);
      if (answers.includes(undefined)) return;
    }
    if (!rule || !(await control('DELETE', `/faults/${rule.body.id}`))) return;
  }
}
