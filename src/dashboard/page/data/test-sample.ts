import type { TimelineEntry, TimelineEntryData } from '../../../control/orders/timeline-entry.ts';
import { formatIndentedJson, isStream, joinLines } from './code-samples.ts';
import type { Account, RequestRecord, Timeline } from './records.ts';

type Plan = Account['plan'] | undefined;

const RECORD_ID = /\b(?:acct|el|evt|flow|job|key|lib|obj|req|run|we|ws)_[0-9a-z]{10,}/;
const STATE_CODES = ['permission_denied', 'endpoint_limit_reached', 'conflict', 'storage_full'];

export function whyBodyIsMissing({ method, request }: Pick<RequestRecord, 'method' | 'request'>): string | undefined {
  if (request === null && method === 'POST') return 'Uploads are not recorded.';
  return request?.includes('… [cut: ') ? 'The request body was too long to be recorded in full.' : undefined;
}

export function findReproducibilityProblem(record: RequestRecord, steps: readonly TimelineEntry[]): string | undefined {
  const { path, request, status, fixture } = record;
  const missing = whyBodyIsMissing(record);
  if (missing) return missing;
  if (fixture !== undefined) return 'The response is a scripted answer.';
  const names = `${path} ${request ?? ''}`;
  if (status < 400 && (RECORD_ID.test(names) || names.includes(`${window.location.host}/cdn/`))) {
    return 'The request names records of this account.';
  }
  const code = returnedBy(steps).error?.code ?? '';
  return STATE_CODES.includes(code) ? 'The response depends on records of this account.' : undefined;
}

export function generateVitestTest(record: RequestRecord, { steps, line }: Timeline, plan: Plan): string {
  const { account_id: owner, method } = record;
  const { left: credits, error } = returnedBy(steps);
  const { work, money } = line.status;
  const own = { credits, plan: error?.code === 'plan_cap_exceeded' ? plan : undefined };
  const isOwn = own.credits !== undefined || own.plan !== undefined;
  const rules = rulesOf(record, steps);
  const isSettled = owner !== null && method !== 'GET' && !line.time.is_open;
  const refunds = steps.filter(({ kind }) => kind === 'refunded').length;
  const spent = inCode({ credits: money.charged - money.refunded, refunds });
  const statements = [
    isOwn && `const account = await emulator.account(${inCode(own)});`,
    ...rules.map((rule) => `await ${owner === null ? 'emulator' : 'account'}.faults.add(${inCode(rule)});`),
    ...responseLines(record, steps, rules.length > 0),
    isSettled && work && 'await account.waitFor.idle({ timeout: 60 });',
    isSettled && `await expect(account).toHaveSpent(${spent});`,
  ];
  const limit = 60_000 + Math.ceil(line.time.took / 1000) * 1000;
  return joinLines(
    "import { expect } from 'vitest';",
    "import { test } from 'svc-emulator/vitest';",
    '',
    `test(${quoted(titleOf(record, steps))}, async ({ ${owner === null || isOwn ? 'emulator' : 'emulator, account'} }) => {`,
    ...statements.map((statement) => statement && `  ${statement}`),
    work || line.time.took > 1000 ? `}, ${limit});\n` : '});\n',
  );
}

function responseLines(record: RequestRecord, steps: readonly TimelineEntry[], isFaulty: boolean): string[] {
  const { path, status, request, method, account_id: owner } = record;
  const { cut, error } = returnedBy(steps);
  const key = owner === null ? "'Bearer svc_sk_unknown'" : `\`Bearer \${account.apiKey}\``;
  const headers = [
    ...(error?.code === 'missing_api_key' ? [] : [`authorization: ${key}`]),
    ...(request === null ? [] : ["'content-type': 'application/json'"]),
  ];
  const call = joinLines(
    `fetch(emulator.url + ${quoted(path)}, {`,
    `    method: '${method}',`,
    headers.length > 0 && `    headers: { ${headers.join(', ')} },`,
    request !== null && `    body: JSON.stringify(${formatIndentedJson(request, 4)}),`,
    '  })',
  );
  if (status === 0) return [`await expect(${call}).rejects.toThrow();`];
  const sent = [`const response = await ${call};`, `expect(response.status).toBe(${status});`];
  if (cut && isFaulty) return [...sent, 'await expect(response.text()).rejects.toThrow();'];
  return status === 200 && isStream(request) ? [...sent, 'await response.text();'] : sent;
}

function returnedBy(steps: readonly TimelineEntry[]): TimelineEntryData {
  return steps.find(({ kind }) => kind === 'returned')?.data ?? {};
}

function titleOf({ method, path, status }: RequestRecord, steps: readonly TimelineEntry[]): string {
  const end = status === 0 ? 'loses the connection' : `returns ${status}`;
  const failed = steps.find(({ kind }) => kind === 'failed')?.data.error?.code;
  return `${method} ${path} ${end}${failed && status < 400 ? `, and its work fails with ${failed}` : ''}`;
}

type Rule = Pick<NonNullable<TimelineEntryData['rule']>, 'match' | 'effect'> & { times?: number | undefined };

/**
 * Returns the fault rules that were applied. If there are none, returns rules that cause the recorded failure, which
 * may come from a hold, but no rules if the request contains a directive.
 */
function rulesOf({ path, status, request }: RequestRecord, steps: readonly TimelineEntry[]): Rule[] {
  const applied = steps.flatMap(({ data: { rule } }) => rule ?? []);
  if (applied.length > 0) return applied.map(ownRule);
  const match = { path: path.split('?')[0] ?? path };
  const { asked, error } = returnedBy(steps);
  if (request?.includes('[[')) return [];
  const isPaid = steps.some(({ kind }) => kind === 'charged');
  if (status === 0) return [{ match, effect: isPaid ? { lost_response: true } : { drop: true } }];
  if (asked && error) return [{ match, effect: { status, code: error.code } }];
  const failed = steps.filter(({ kind, data }) => kind === 'failed' && data.error?.code !== 'content_blocked');
  return failed.map(({ data, track }) => {
    const take = /^take (\d)$/.exec(track.label)?.[1];
    return { match: { ...match, ...(take && { take: Number(take) }) }, effect: { fail_job: data.error?.code ?? '' } };
  });
}

/**
 * Leaves out the account, the test and the request number of the rule, because these would not match in the generated
 * test.
 */
function ownRule({
  match: { account_id: _account, test: _test, nth: _nth, ...match },
  effect,
  times,
}: NonNullable<TimelineEntryData['rule']>): Rule {
  return { match, effect, times: times === 1 ? undefined : times };
}

function inCode(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(inCode).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .map(([name, field]) => `${camelCase(name)}: ${inCode(field)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
