import { countWithNoun } from '../base/text.ts';
import type { AccountClient, EmulatorClient } from './emulator-client.ts';

const SHOWN = 300;

/** Describes at most the newest 1,000 requests of an account, oldest first. Empty if there are none. */
export async function describeRequests(emulator: EmulatorClient, account: { id: string }): Promise<string> {
  const requests = await emulator.requests(account);
  return requests
    .flatMap((each) => [
      `${each.method} ${each.path} -> ${each.status}, ${countWithNoun(each.credits ?? 0, 'credit')}${retryOf(each.retryCount)}, ${each.durationMs} ms (${each.id})`,
      ...bodyLine('sent', each.request),
      ...(each.status >= 400 ? bodyLine('got', each.answer) : []),
    ])
    .join('\n');
}

const MAX_LINES = 50;

export async function describeAccountActivity(emulator: EmulatorClient, account: AccountClient): Promise<string> {
  const [requests, jobs, deliveries] = await Promise.all([
    describeRequests(emulator, account),
    account.jobs(),
    account.deliveries(),
  ]);
  const failed = jobs.flatMap(({ id, model, error }) =>
    error ? [`  ${id} of ${model}: ${error.code}: ${error.message}`] : [],
  );
  const open = jobs.flatMap(({ id, model, status, created, completed }) =>
    completed === undefined
      ? [`  ${id} of ${model}: ${status}, ordered at ${new Date(created * 1000).toISOString()}`]
      : [],
  );
  const sent = deliveries.map(({ type, url, status, responseStatus, error, id }) => {
    const end = error ?? responseStatus ?? status;
    return `  ${type} to ${url} -> ${end} (${id})`;
  });
  return [
    `Requests of ${account.id}:`,
    requests || '(none)',
    ...section(`Failed jobs of ${account.id}:`, failed),
    ...section(`Unfinished jobs of ${account.id}:`, open),
    ...section(`Deliveries to ${account.id}:`, sent),
  ].join('\n');
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.slice(-MAX_LINES)];
}

function retryOf(count: number): string {
  return count > 0 ? `, retry ${count}` : '';
}

function bodyLine(label: string, body: string | null): string[] {
  if (!body) return [];
  const cut = body.length > SHOWN ? `${body.slice(0, SHOWN)}…` : body;
  return [`  ${label} ${cut}`];
}
