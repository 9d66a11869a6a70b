import { findAccount } from '../accounts/account-store.ts';
import { type EmulatorError, invalid } from '../errors.ts';
import { effectKind, isLie, rowOf } from '../faults/effects/effect-table.ts';
import { type FaultMatch, type FaultPoint, isPerTake } from '../faults/fault-rule.ts';
import { paidWork } from '../faults/paid-work.ts';
import type { Context } from '../http/context.ts';
import { type LieOrder, onlyOfLies, requireLie } from './lies.ts';

/** Throws `invalid_request` for a rule that could never strike: better now than a test that sees nothing. */
export function requireReach(context: Context, { match, effect, probability }: LieOrder): void {
  const kind = effectKind(effect);
  const row = rowOf(kind);
  if (row.kills && !context.crashHook) {
    throw invalid(
      'effect.crash',
      'effect.crash ends the process, and nobody would start it again: it needs svc-emulator start --supervise.',
    );
  }
  const narrow = requirePoints(context, match);
  if (isLie({ effect })) {
    requireLie({ match, effect, probability });
    return;
  }
  if (match.event !== undefined) throw onlyOfLies('event');
  if (match.content_type !== undefined) throw onlyOfLies('content_type');
  narrow((point) => row.reaches(point, effect), {
    param: `effect.${kind}`,
    fault: `${kind} acts on ${row.domain} only`,
  });
  if (match.take === undefined) return;
  narrow(({ paid }) => paid === SONG, { param: 'match.take', fault: 'only songs have takes' });
  if (isPerTake({ kind })) return;
  throw invalid(
    'match.take',
    `match.take names a take, and ${kind} strikes the whole request. Leave match.take out, or use fail_job, job or webhook.`,
  );
}

/** Whose orders have takes. */
const SONG = 'music.generation';

/** Throws `invalid_request` for a match that means no request at all; answers how the points that are left are narrowed down. */
export function requirePoints(context: Context, match: FaultMatch) {
  const { path, method, model, contains, account_id: accountId } = match;
  const kind = model === undefined ? undefined : context.catalogue.kindOf(model);
  if (model !== undefined && !kind) throw unknown('model', model, 'no model', 'GET /v1/models');
  if (accountId !== undefined && !findAccount(context.database, accountId)) {
    throw unknown('account_id', accountId, 'no account', 'GET /_emulator/accounts');
  }

  const reached = context.faultPoints.filter((point) => path === undefined || isUnder(path, point));
  if (reached.length === 0) throw unknownPath(path, context.faultPoints);
  const narrow = narrowing(path, reached);
  if (method !== undefined) {
    narrow(({ methods }) => methods.includes(method), {
      param: 'match.method',
      fault: `${method} is a method of other paths`,
    });
  }
  if (model !== undefined) {
    narrow(({ paid }) => paid !== undefined && paidWork(paid).model === kind, {
      param: 'match.model',
      fault: `model "${model}" is of kind ${kind}`,
    });
  }
  if (contains !== undefined) {
    narrow(({ hasTexts }) => hasTexts, {
      param: 'match.contains',
      fault: 'contains looks at the texts of a body, and these have none',
    });
  }
  if (accountId !== undefined) {
    narrow(({ hasAccount }) => hasAccount, {
      param: 'match.account_id',
      fault: 'nobody is known by a key there',
    });
  }
  return narrow;
}

/** Keeps the points that a condition leaves; throws its fault when none is. */
function narrowing(path: string | undefined, reached: readonly FaultPoint[]) {
  let left = reached;
  return (keeps: (point: FaultPoint) => boolean, no: { param: string; fault: string }): void => {
    left = left.filter(keeps);
    if (left.length > 0) return;
    const where = path === undefined ? 'no path' : `nothing under match.path ${shown(path)}`;
    throw invalid(
      no.param,
      `This rule can never strike: ${no.fault}; ${where} fits it. Change ${no.param} or match.path.`,
    );
  };
}

function unknownPath(path: string | undefined, points: readonly FaultPoint[]): EmulatorError {
  const known = [...new Set(points.map((point) => point.path))].slice(0, NAMED).join(', ');
  return invalid(
    'match.path',
    `match.path ${shown(path ?? '')} is the beginning of no path that a fault can strike, so the rule would never strike. It may be one of a path of the service or of its CDN: ${known}, …`,
  );
}

/** The paths to name in an error: enough to see what a path looks like. */
const NAMED = 8;

function unknown(field: string, value: string, what: string, list: string): EmulatorError {
  const param = `match.${field}`;
  return invalid(param, `${param} ${shown(value)} is ${what}, so the rule would never strike. ${list} lists them.`);
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}

/** Whether some path of a route begins with a prefix. */
function isUnder(prefix: string, { path }: Pick<FaultPoint, 'path'>): boolean {
  const wanted = prefix.split('/');
  const segments = path.split('/');
  return wanted.every((step, at) => {
    const segment = segments[at];
    if (segment === undefined) return segments.at(-1) === '*';
    if (segment === '*') return true;
    const isLast = at === wanted.length - 1;
    if (segment.startsWith(':')) return isLast || step !== '';
    return isLast ? segment.startsWith(step) : segment === step;
  });
}
