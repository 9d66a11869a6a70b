import type { Command } from 'commander';
import type { Explanation } from '../orders/explain-order.ts';
import { print, type RemoteFlags, remoteCommand, withEmulator } from './remote.ts';

/** `svc-emulator explain ID`: what became of a request, step by step. */
export function explainCommand(): Command {
  return remoteCommand('explain', 'tell step by step what became of a request')
    .argument('<id>', 'the x-request-id of its answer, such as req_0123456789ab0000001')
    .action(explain);
}

async function explain(id: string, flags: RemoteFlags): Promise<void> {
  const told = await withEmulator(flags, (control) => control.get<Explanation>(`/explain/${encodeURIComponent(id)}`));
  print(flags, told, told.summary, '', ...told.steps.flatMap(linesOf));
}

/** The width of the longest name of a step, and two spaces. */
const MARGIN = 12;

function linesOf({ step, text, rules, fixtures }: Explanation['steps'][number]): string[] {
  return [`${step.padEnd(MARGIN)}${text}`, ...[rules, fixtures].flatMap(reasons)];
}

/** Of rules and scripted answers that left the request alone: why. */
function reasons(considered: unknown): string[] {
  if (!Array.isArray(considered)) return [];
  return considered
    .filter(({ why }) => Array.isArray(why))
    .map(({ id, why }) => `${' '.repeat(MARGIN)}${id}: ${why.join('; ')}.`);
}
