import { unixSeconds } from '../clock/clock.ts';
import { type FaultRule, misfits } from '../faults/fault-rule.ts';
import { faultsFacing } from '../faults/fault-store.ts';
import type { Scriptable } from '../fixtures/subject.ts';
import { counted } from '../log/counted.ts';
import type { Step, Story } from './story.ts';

/** How many rules and fixtures are told of. */
export const MOST_TOLD = 50;

/** Fault rules as they stand now, in the order in which they look, and why each left this request alone. */
export function faultsStep({ context, entry, operation, target }: Story): Step | undefined {
  if (!operation) return undefined;
  const { database, clock } = context;
  const rules = faultsFacing(database, entry.account_id ?? '', MOST_TOLD);
  const struckAt = rules.findIndex(({ id }) => id === entry.fault);
  const told = rules.map((rule, at) => {
    const { id, match, effect } = rule;
    if (at === struckAt) return { id, match, effect, appliedFault: true };
    const late = rule.expires !== null && rule.expires <= clock.now();
    const why = [
      unixSeconds(rule.created) > entry.created ? 'it was made after this request' : '',
      ...(target ? misfits(rule, target) : ['the body is too long to be looked at again']),
      late ? 'its time is over' : '',
    ].filter(Boolean);
    const behind = struckAt !== -1 && at > struckAt;
    const reasons = why.length > 0 ? why : [leftAlone(rule, behind)];
    return { id, match, effect, appliedFault: false, why: reasons };
  });
  const { fault } = entry;
  const gone = fault !== undefined && struckAt === -1;
  const appliedFault = fault === undefined ? 'None struck.' : `${fault} struck${gone ? '; it is gone since' : ''}.`;
  const text = `${counted(rules.length, 'fault rule')} looked at this account. ${appliedFault}`;
  return { step: 'faults', text, appliedFault: fault ?? null, rules: told };
}

/** Of a rule that means the request and did nothing to it. */
function leftAlone({ times, strikes, probability }: FaultRule, isBehind: boolean): string {
  if (isBehind) return 'another rule, made earlier, struck first';
  if (times > 0 && strikes >= times) return `it is used up: ${counted(strikes, 'strike')} of ${times}`;
  if (probability < 1) return `its chance, ${probability}, did not come up`;
  return 'its strike was given back, since the work never began';
}

/** Scripted answers as they stand now, in the order in which they are asked, and why each was not given. */
export function fixturesStep({ context, entry, operation, body }: Story): Step | undefined {
  if (!operation?.asked) return undefined;
  const { fixture } = entry;
  const given = fixture === undefined ? 'None answered.' : `${fixture} answered.`;
  if (body === undefined) return { step: 'fixtures', text: given, given: fixture ?? null };
  const subject = {
    ...operation.asked(body),
    operation: operation.name as Scriptable,
    accountId: entry.account_id ?? '',
  };
  const fixtures = context.fixtures.considered(subject, MOST_TOLD).map(({ fixture: each, why }) => {
    if (each.id === fixture) return { id: each.id, given: true };
    const reasons = why.length > 0 ? why : ['an earlier one answered, or it was made since'];
    return { id: each.id, given: false, why: reasons };
  });
  const text = `${counted(fixtures.length, 'scripted answer')} in force. ${given}`;
  return { step: 'fixtures', text, given: fixture ?? null, fixtures };
}
