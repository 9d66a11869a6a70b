import { nearestName } from '../../base/config/edit-distance.ts';
import { type EmulatorError, invalid } from '../../base/errors.ts';
import type { Effect } from '../../engine/faults/effects/effect-table.ts';
import type { FaultMatch } from '../../engine/faults/fault-rule.ts';
import { LIBERTIES, type LieRow, lieRow, nearestLie, takesField } from './lie-table.ts';

/** A rule as far as it is checked before it is made. */
export interface LieOrder {
  match: FaultMatch;
  effect: Effect;
  probability?: number | undefined;
}

/** Throws `invalid_request` for a lie or a liberty that there is not, or that its rule could never tell. */
export function requireLie({ match, effect, probability = 1 }: LieOrder): void {
  const { lie, liberty, field } = effect;
  if (probability !== 1) {
    throw invalid(
      'probability',
      'A lie acts until its rule is removed, each time that it can; leave probability out, or give times or match.nth.',
    );
  }
  if (match.contains !== undefined) {
    throw invalid(
      'match.contains',
      'match.contains looks at the texts of a request, and a lie at its answer; leave it out.',
    );
  }
  if (liberty !== undefined) requireLiberty(liberty);
  if (lie === undefined) return;
  const row = lieRow(lie);
  if (!row) throw unknownLie(lie);
  requireField(lie, field);
  requirePlace(match, row);
}

/** Names the nearest one. */
function unknownLie(name: string): EmulatorError {
  return invalid(
    'effect.lie',
    `effect.lie ${JSON.stringify(name)} is no lie. Did you mean ${nearestLie(name)}? GET /_emulator/lies lists them.`,
  );
}

function requireLiberty(name: string): void {
  if (LIBERTIES.some((each) => each === name)) return;
  throw invalid(
    'effect.liberty',
    `effect.liberty ${JSON.stringify(name)} is no liberty. Did you mean ${nearestName(name, LIBERTIES)}? There are ${LIBERTIES.join(', ')}.`,
  );
}

function requireField(lie: string, field: string | undefined): void {
  if (takesField(lie) && field === undefined) {
    throw invalid(
      'effect.field',
      `${lie} needs effect.field, a dotted path such as usage.credits_spent or data.*.seed.`,
    );
  }
  if (takesField(lie) || field === undefined) return;
  throw invalid(
    'effect.field',
    `effect.field has a meaning for field.missing, field.null and field.text only, not for ${lie}.`,
  );
}

function requirePlace({ path, event, content_type: type, take }: FaultMatch, { name, at, acts }: LieRow): void {
  const where = `${name} acts at ${at.join(', ')}`;
  if (path !== undefined && !at.some((prefix) => path.startsWith(prefix) || prefix.startsWith(path))) {
    throw invalid('match.path', `This rule can never tell its lie: ${where}. Change match.path, or leave it out.`);
  }
  if (event !== undefined && acts !== 'event' && !CHANGES_EVENTS.includes(name)) {
    throw invalid('match.event', `This rule can never tell its lie: ${name} changes no event. Leave match.event out.`);
  }
  if (type !== undefined && acts !== 'file') {
    throw invalid(
      'match.content_type',
      `This rule can never tell its lie: ${name} changes no file. Leave match.content_type out.`,
    );
  }
  if (take === undefined || at.some((prefix) => prefix === '/v1' || prefix === '/cdn' || prefix.startsWith(SONGS)))
    return;
  throw invalid(
    'match.take',
    `This rule can never tell its lie: only songs have takes, and ${where}. Leave match.take out.`,
  );
}

const SONGS = '/v1/music';

/** What changes answers and events alike. */
const CHANGES_EVENTS: readonly string[] = [
  ...['field.missing', 'field.null', 'field.text'],
  ...['seed.same', 'blocked.renamed', 'time.ms'],
];
