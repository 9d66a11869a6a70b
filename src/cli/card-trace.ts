import type { VirtualClock } from '../clock/virtual-clock.ts';
import { secretValues } from '../config/secret-values.ts';
import { VERSION } from '../package/version.ts';
import { printReportCard } from '../report-card/print-report-card.ts';
import type { ReportCard } from '../report-card/report-card.ts';
import { TRACE_FORMAT } from '../trace/trace-file.ts';
import { writeTrace } from '../trace/write-trace.ts';

const NOTHING = { requests: [], jobs: [], entries: [], events: [], deliveries: [], runs: [], acts: [] };
const MARK = { pass: '✓', fail: '✕', skipped: '-' };

/** A report card as a trace, to be shared: each check as a test on the line of time, and the card beside it. */
export function cardTrace(card: ReportCard, clock: VirtualClock, secret: string): Promise<string> {
  const ended = clock.real();
  const began = ended - Math.max(1, card.duration_ms);
  let at = began;
  const checks = card.checks.map(({ verdict, title, duration_ms: took }) => {
    at = Math.min(ended, at + took);
    return { at, from: 'out' as const, text: `${MARK[verdict]} ${title} ${took} ms` };
  });
  const printed = printReportCard(card)
    .split('\n')
    .map((text) => ({ at: ended, from: 'out' as const, text: inColour(text) }));
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
