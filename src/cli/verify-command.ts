import { Command, InvalidArgumentError, Option } from 'commander';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { EmulatorError } from '../errors.ts';
import { Random } from '../random.ts';
import type { ReportCard } from '../report-card/report-card.ts';
import { EVENT_TYPES, type EventType } from '../webhooks/event-schemas.ts';
import { keepTrace } from './exec-trace.ts';
import { CommandEnd, EXIT } from './process-end.ts';
import { withProgress } from './progress-bar.ts';
import { keepOutput, requireOutput } from './report-files.ts';

interface VerifyFlags {
  secret: string;
  events?: EventType[];
  timeout?: number;
  remote?: boolean;
  json?: boolean;
  junit?: string;
  trace?: string;
}

const CODES = `
Exit codes: 0 when every check passes, 1 when one does not, 2 on wrong use.`;

/** `svc-emulator verify URL`: a report card for a webhook receiver; needs no emulator that runs. */
export function verifyCommand(): Command {
  return new Command('verify')
    .description('try a webhook receiver with what will happen in production')
    .argument('<url>', 'the URL of a receiver on this machine')
    .addOption(
      new Option('--secret <whsec>', 'the secret that it verifies with')
        .env('SVC_WEBHOOK_SECRET')
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--events <types...>', 'the event types it is to be ready for (default: all)').choices(EVENT_TYPES),
    )
    .option('--timeout <seconds>', 'what one answer may take, 0.5 to 30 (default: 10)', readSeconds)
    .option('--remote', 'also try a receiver at a public https address')
    .option('--json', 'print JSON, for a script')
    .option('--junit <file>', 'also write JUnit XML, for CI')
    .option('--trace <file>', 'also write the card as one HTML page, to be shared')
    .addHelpText('after', CODES)
    .action(verify);
}

async function verify(url: string, flags: VerifyFlags): Promise<void> {
  if (flags.junit !== undefined) requireOutput('--junit', flags.junit);
  if (flags.trace !== undefined) requireOutput('--trace', flags.trace);
  const { printJunit, printReportCard } = await import('../report-card/print-report-card.ts');
  const card = await cardOf(url, flags);
  const text = flags.json ? JSON.stringify(card, null, 2) : printReportCard(card);
  process.stdout.write(`${text}\n`);
  if (flags.junit !== undefined) keepOutput('--junit', flags.junit, printJunit(card));
  if (flags.trace !== undefined) await keepCard(flags.trace, card, flags.secret);
  if (!card.ok) throw new CommandEnd(EXIT.failure);
}

async function keepCard(file: string, card: ReportCard, secret: string): Promise<void> {
  const { cardTrace } = await import('./card-trace.ts');
  keepTrace(file, await cardTrace(card, new VirtualClock(), secret));
}

async function cardOf(url: string, flags: VerifyFlags): Promise<ReportCard> {
  const { secret, events, remote, timeout: timeoutSeconds } = flags;
  const { makeReportCard } = await import('../report-card/report-card.ts');
  const parts = { clock: new VirtualClock(), random: new Random() };
  try {
    return await withProgress('verify', (onCheck) =>
      makeReportCard(parts, { url, secret, events, remote, timeoutSeconds, onCheck }),
    );
  } catch (error) {
    if (error instanceof EmulatorError && error.code === 'invalid_request')
      throw new CommandEnd(EXIT.wrongUse, `${error.message} (--remote asks for it)`);
    throw error;
  }
}

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() !== '' && seconds >= 0.5 && seconds <= 30) return seconds;
  throw new InvalidArgumentError('It must be a number of seconds from 0.5 to 30.');
}
