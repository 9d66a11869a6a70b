import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { expect, it } from 'vitest';
import { foundOf, reportOf, resultsOf } from '../check/made-report.ts';
import { cleanEnvironment } from '../support/run-clock.ts';
import { fileOf, folderOf, MAIN } from './spawned-program.ts';

const FOUND = foundOf(['duplicate'], { finding: { title: 'delivery #1 arrives twice', happened: ['It failed.'] } });
const { report } = reportOf(resultsOf([FOUND]));

/** The output of a command on a terminal of this width, which `script` provides. */
function printedOnTerminal(columns: number, words: string, env: Record<string, string> = {}): string {
  const cwd = folderOf({ 'one.json': report });
  const line = `stty cols ${columns}; '${process.execPath}' '${MAIN}' ${words}; true`;
  const options = { cwd, env: cleanEnvironment({ CI: '', NO_COLOR: '', ...env }), encoding: 'utf8' } as const;
  return execFileSync('script', ['-qec', line, '/dev/null'], options).replaceAll('\r', '');
}

it('shows a progress bar as wide as the terminal for a command that takes over a second, and removes the bar at the end', () => {
  const ffmpeg = fileOf('ffmpeg', '#!/bin/sh\nsleep 2\necho ffmpeg version 7\n');
  chmodSync(ffmpeg, 0o755);
  const printed = printedOnTerminal(30, `doctor --ephemeral --port 0 --ffmpeg ${ffmpeg}`);
  const bars = printed.split('\u001b[K').filter((text) => text.startsWith('doctor ['));
  expect(bars.length).toBeGreaterThan(1);
  for (const bar of bars) expect(bar).toMatch(/^doctor \[[= ]{21}$/);
  expect(printed).toContain('\u001b[K\u001b[32mok ');
});

it('colors failed checks and the summary of a report red on a terminal, and wraps all lines except the command for a replay', () => {
  const printed = printedOnTerminal(60, 'check merge one.json');
  expect(printed).toContain(
    [
      '\u001b[31mFAILED handles-duplicates\u001b[39m',
      '  - delivery #1 arrives twice',
      '    It failed.',
      '    Fix: Store the id of each event you handled under a',
      '    unique key. Return 2xx for an event you know, and do',
      '    nothing more.',
      `    Replay: ${report.findings[0]?.replay}`,
    ].join('\n'),
  );
  expect(printed).toContain('\u001b[31m1 failed, 3 not tested, 10 not applicable\u001b[39m\n');
});

it.each([
  [
    'does not color a report with NO_COLOR, and assumes 80 columns if the size is unknown',
    0,
    { NO_COLOR: '1' },
    '\n    ',
  ],
  ['neither colors nor wraps a report in CI', 60, { CI: 'true' }, ' '],
])('%s', (_, columns, env, space) => {
  const printed = printedOnTerminal(columns, 'check merge one.json', env);
  expect(printed).toContain(
    `each event you handled under a unique key. Return 2xx${space}for an event you know, and do`,
  );
  expect(printed).not.toContain('\u001b[3');
});
