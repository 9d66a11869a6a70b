import { VirtualClock } from '../../base/clock/virtual-clock.ts';
import { secretValuesInEnvironment } from '../../base/config/secret-values.ts';
import { EmulatorError, quoted } from '../../base/errors.ts';
import { VERSION } from '../../base/package/package-folder.ts';
import { Random } from '../../base/random.ts';
import { formatJunitXml, type JunitCase } from '../../client/runners/junit.ts';
import type { ReceiverCheckResult, ReceiverCheckVerdict, ReportCard } from '../../control/receiver/report-card.ts';
import { TRACE_FORMAT_VERSION } from '../../control/trace/trace-file.ts';
import type { ServiceEventType } from '../../engine/webhooks/event-schemas.ts';
import { isLoopbackHost } from '../../engine/webhooks/hosts.ts';
import { CommandError, EXIT_CODES, usageError } from '../process-end.ts';
import { requireWritableOutput, writeOutputOrThrow, writeTraceFile } from '../report-files.ts';
import { print, printReport, withProgress } from '../terminal-output.ts';

interface VerifyFlags {
  secret?: string;
  events?: ServiceEventType[];
  timeout?: number;
  remote?: boolean;
  json?: boolean;
  junit?: string;
  trace?: string;
}

export async function runVerify(url: string, { secret, ...given }: VerifyFlags): Promise<void> {
  if (!secret)
    throw usageError('--secret is missing; give the signing secret of the endpoint, or set SVC_WEBHOOK_SECRET.');
  requireReceiver(url, given.remote);
  const flags = { ...given, secret };
  if (flags.junit !== undefined) requireWritableOutput('--junit', flags.junit);
  if (flags.trace !== undefined) requireWritableOutput('--trace', flags.trace);
  const card = await makeCard(url, flags);
  const text = printReportCard(card);
  if (flags.json) print(`${JSON.stringify(card, null, 2)}\n`);
  else printReport(`${text}\n`, inkOf);
  if (flags.junit !== undefined) writeOutputOrThrow('--junit', flags.junit, formatVerifyJunit(card));
  if (flags.trace !== undefined) writeTraceFile(flags.trace, await cardTrace(card, text, flags));
  if (!card.ok) throw new CommandError(EXIT_CODES.failure);
}

type Verified = VerifyFlags & { secret: string };

async function makeCard(url: string, flags: Verified): Promise<ReportCard> {
  const { secret, events, remote, timeout: timeoutSeconds } = flags;
  const { checkReceiver } = await import('../../control/receiver/report-card.ts');
  const parts = { clock: new VirtualClock(), random: new Random() };
  try {
    return await withProgress('verify', (onCheck) =>
      checkReceiver(parts, { url, secret, events, remote, timeoutSeconds, onCheck }),
    );
  } catch (error) {
    if (error instanceof EmulatorError && error.code === 'invalid_request') throw usageError(error.message);
    throw error;
  }
}

function requireReceiver(url: string, isRemote = false): void {
  const { protocol, hostname, username } = URL.canParse(url) ? new URL(url) : ({} as Partial<URL>);
  const isHttp = protocol === 'http:' || protocol === 'https:';
  if (!isHttp || !hostname || username) {
    const accepted = 'an http or https URL without a user name, such as http://127.0.0.1:3000/webhooks';
    throw usageError(`<url> is ${quoted(url)}; expected ${accepted}.`);
  }
  if (isLoopbackHost(hostname.replace(/^\[(.*)\]$/, '$1'))) return;
  if (!isRemote)
    throw usageError(`${hostname} is not this machine; --remote allows a receiver at a public https address.`);
  if (protocol !== 'https:') throw usageError(`<url> is ${quoted(url)}; with --remote expected an https URL.`);
}

const WORDS: Record<ReceiverCheckVerdict, string> = { pass: 'ok  ', fail: 'FAIL', skipped: 'skip' };

function printReportCard(card: ReportCard): string {
  const { passed, failed, skipped, url } = card;
  const others = [failed && `${failed} failed`, skipped && `${skipped} not tried`].filter(Boolean);
  const total = [`${passed} of ${card.checks.length} checks passed`, ...others].join(', ');
  return [`${url}`, ...card.checks.flatMap(linesOf), total].join('\n');
}

function linesOf({ verdict, title, correct, got, fix, note }: ReceiverCheckResult): string[] {
  const line = `${WORDS[verdict]} ${title}`;
  if (verdict === 'skipped') return [`${line} (${got})`];
  if (verdict === 'pass') return [line];
  const details = [`expected ${correct}; received ${got}`, fix, note];
  return [line, ...details.flatMap((detail) => (detail ? [`       ${detail}`] : []))];
}

export function formatVerifyJunit({ checks, duration_ms: spent, url }: ReportCard): string {
  const cases = checks.map(testCase);
  return formatJunitXml({ of: 'verify', suite: `webhook receiver ${url}`, seconds: seconds(spent), cases });
}

function testCase(check: ReceiverCheckResult): JunitCase {
  const { name: classname, title: name, verdict, correct, got, fix = '', duration_ms: spent } = check;
  const test = { classname, name, seconds: seconds(spent) };
  if (verdict === 'pass') return test;
  if (verdict === 'skipped') return { ...test, skipped: got };
  const message = `expected ${correct}; received ${got}`;
  return { ...test, failure: { message, body: [fix] } };
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}

const MARK = { pass: '✓', fail: '✕', skipped: '-' };

async function cardTrace(card: ReportCard, text: string, { secret }: Verified): Promise<string> {
  const { renderTracePage } = await import('../../control/trace/trace-page.ts');
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
    format: TRACE_FORMAT_VERSION,
    version: VERSION,
    title: `report card of ${card.url}`,
    exit: card.ok ? 0 : 1,
    failure,
    span: { began, ended },
    leftOut: { requests: 0, files: 0 },
  };
  const trace = { head, orders: [], answers: {}, output: [...checks, ...printed], media: {} };
  return renderTracePage(trace, [secret, ...secretValuesInEnvironment()]);
}

function inkOf(line: string): 'red' | 'green' | undefined {
  return line.startsWith('FAIL') ? 'red' : line.startsWith('ok ') ? 'green' : undefined;
}

function inColour(line: string): string {
  const ink = inkOf(line);
  return ink === undefined ? line : `\u001b[${ink === 'red' ? 31 : 32}m${line}\u001b[39m`;
}
