import { Command, InvalidArgumentError, Option } from 'commander';
import { VirtualClock } from '../../base/clock/clock.ts';
import { secretValues } from '../../base/config/secret-values.ts';
import { EmulatorError } from '../../base/errors.ts';
import { VERSION } from '../../base/package/version.ts';
import { Random } from '../../base/random.ts';
import type { ReportCard } from '../../control/receiver/report-card.ts';
import { TRACE_FORMAT } from '../../control/trace/trace-file.ts';
import { EVENT_TYPES, type EventType } from '../../engine/webhooks/event-schemas.ts';
import { keepTrace } from '../exec-trace.ts';
import { CommandEnd, EXIT } from '../process-end.ts';
import { withProgress } from '../progress-bar.ts';
import { keepOutput, requireOutput } from '../report-files.ts';
import { say } from '../terminal-output.ts';

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
  const { printJunit, printReportCard } = await import('../../check/receiver/print-report-card.ts');
  const card = await cardOf(url, flags);
  const text = printReportCard(card);
  say(`${flags.json ? JSON.stringify(card, null, 2) : text}\n`);
  if (flags.junit !== undefined) keepOutput('--junit', flags.junit, printJunit(card));
  if (flags.trace !== undefined) keepTrace(flags.trace, await cardTrace(card, text, flags));
  if (!card.ok) throw new CommandEnd(EXIT.failure);
}

export async function cardOf(url: string, flags: VerifyFlags): Promise<ReportCard> {
  const { secret, events, remote, timeout: timeoutSeconds } = flags;
  const { makeReportCard } = await import('../../control/receiver/report-card.ts');
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

const NOTHING = { requests: [], jobs: [], entries: [], events: [], deliveries: [], runs: [], acts: [] };
const MARK = { pass: '✓', fail: '✕', skipped: '-' };

/** A report card as a trace, to be shared: each check as a test on the line of time, and its `text` beside it. */
async function cardTrace(card: ReportCard, text: string, { secret }: VerifyFlags): Promise<string> {
  const { writeTrace } = await import('../../control/trace/write-trace.ts');
  const clock = new VirtualClock();
  const ended = clock.real();
  const began = ended - Math.max(1, card.duration_ms);
  let at = began;
  const checks = card.checks.map(({ verdict, title, duration_ms: took }) => {
    at = Math.min(ended, at + took);
    return { at, from: 'out' as const, text: `${MARK[verdict]} ${title} ${took} ms` };
  });
  const printed = text.split('\n').map((line) => ({ at: ended, from: 'out' as const, text: inColour(line) }));
  const failure = card.ok ? null : `${card.failed} of ${card.checks.length} checks failed.`;
  const head = {
    format: TRACE_FORMAT,
    version: VERSION,
    title: `report card of ${card.url}`,
    exit: card.ok ? 0 : 1,
    failure,
    span: { began, ended },
    marks: clock.marks,
    leftOut: { requests: 0, files: 0 },
  };
  const trace = { head, tables: NOTHING, lists: {}, explained: {}, output: [...checks, ...printed], media: {} };
  return writeTrace(trace, [secret, ...secretValues()]);
}

/** As a terminal would show it. */
function inColour(line: string): string {
  const colour = line.startsWith('FAIL') ? 31 : line.startsWith('ok ') ? 32 : undefined;
  return colour === undefined ? line : `\u001b[${colour}m${line}\u001b[39m`;
}
