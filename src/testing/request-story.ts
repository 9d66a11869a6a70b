import type { EmulatorClient } from '../client/emulator-client.ts';
import { counted } from '../log/log.ts';

/** How much of a body one line shows, in characters. */
const SHOWN = 300;

/** The requests of an account, oldest first, printed for the reader of a failed test; empty when there were none. */
export async function requestStory(emulator: EmulatorClient, account: { id: string }): Promise<string> {
  const requests = await emulator.requests(account);
  return requests
    .flatMap((each) => [
      `${each.method} ${each.path} -> ${each.status}, ${counted(each.credits ?? 0, 'credit')}, ${each.durationMs} ms (${each.id})`,
      ...bodyLine('sent', each.request),
      ...(each.status >= 400 ? bodyLine('got', each.answer) : []),
    ])
    .join('\n');
}

function bodyLine(label: string, body: string | null): string[] {
  if (!body) return [];
  const cut = body.length > SHOWN ? `${body.slice(0, SHOWN)}…` : body;
  return [`  ${label} ${cut}`];
}
