import { expect, it } from 'vitest';
import { SavedFindings } from '../../src/check/saved-findings.ts';
import { type Replay, writeToken } from '../../src/check/token.ts';
import { emptyFolder } from '../cli/spawned-program.ts';

function missed(name: string, version = '0.1.0'): Replay {
  return { version, seed: 1, check: 'tests-catch-violations', scene: { kind: 'violation', name, site: 'ledger' } };
}

it('has the newest first, and forgets what is fixed and what another version wrote', () => {
  const saved = new SavedFindings(emptyFolder());
  const tokensOf = (...names: string[]) => names.map((name) => writeToken(missed(name)));
  const read = () => saved.read('0.1.0').map(({ scene }) => (scene.kind === 'violation' ? scene.name : ''));
  saved.keep(tokensOf('charge.none', 'spent.zero'), () => false);
  saved.keep([...tokensOf('refund.none', 'spent.zero'), writeToken(missed('charge.twice', '0.0.9'))], () => false);
  expect(read()).toEqual(['refund.none', 'spent.zero', 'charge.none']);
  saved.keep([], ({ scene }) => scene.kind === 'violation' && scene.name === 'spent.zero');
  expect(read()).toEqual(['refund.none', 'charge.none']);
});
