import { expect, it } from 'vitest';
import { SavedFindingTokens } from '../../src/check/saved-findings.ts';
import { type DecodedToken, encodeToken } from '../../src/check/token.ts';
import { emptyFolder } from '../cli/spawned-program.ts';

function found(fault: string, version = '0.1.0'): DecodedToken {
  const scene = { kind: 'fault', command: '', faults: [{ fault, site: 'endpoint' }] } as const;
  return { version, seed: 1, check: 'pays-once', scene };
}

it('returns the newest findings first, and ignores those of another version', () => {
  const saved = new SavedFindingTokens(emptyFolder());
  const tokensOf = (...names: string[]) => names.map((name) => encodeToken(found(name)));
  const read = () => saved.read('0.1.0').map(({ scene }) => (scene.kind === 'fault' ? scene.faults[0]?.fault : ''));
  saved.keep(tokensOf('late', 'lost'));
  saved.keep([...tokensOf('slow', 'lost'), encodeToken(found('twin', '0.0.9'))]);
  expect(read()).toEqual(['slow', 'lost', 'late']);
});
