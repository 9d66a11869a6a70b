import { z } from 'zod';
import { shortfallOf } from '../../check/tests/gates.ts';
import type { Measurement } from '../../check/tests/measurement.ts';
import { survivorsOf } from '../../check/tests/mutate-report.ts';
import { type MutateSettings, readMutateSettings } from '../../check/tests/mutate-settings.ts';
import { numbersLine, toSee } from '../../check/tests/print-mutate.ts';
import { lieInWords } from '../../control/lies/lie-table.ts';
import type { EmulatorTool } from '../../control/mcp/operation-tools.ts';
import { InputReader } from '../../service/http/input.ts';
import type { CommandLine } from '../remote.ts';
import { openMeasurement } from './mutate-run.ts';

const input = z.strictObject({
  only: z
    .array(z.string().max(80))
    .max(100)
    .default([])
    .describe('these lies or families alone, such as money or refund.*.'),
  lie: z.string().max(200).optional().describe('one lie alone, as `key` of an earlier answer names it.'),
  budget_seconds: z.number().positive().max(3600).default(120).describe('for how long lies are tried; 120 by default.'),
});

type Input = z.output<typeof input>;

const HOW =
  'each time while the service lies in one way (a failed order is not refunded, an event carries the id of another), and ' +
  'reports which lies no test notices, each with the assertion that sees it. Add the assertion to the test, give the ' +
  '`key` as `lie` until it is noticed, then go on with the next one.';

/** Measures the command as `svc-emulator mutate -- COMMAND` does; answers its survivors, the worst first. */
export function mutateTool(command: CommandLine): EmulatorTool {
  const reader = new InputReader(input);
  return {
    name: 'mutate',
    description: `Runs \`${command.words.join(' ')}\` again and again, ${HOW}`,
    input,
    isReadOnly: false,
    call: (_control, args) => mutated(command, reader.readKnown(args) as Input),
  };
}

async function mutated({ words, flags, ending: signal }: CommandLine, { only, lie, budget_seconds: seconds }: Input) {
  const options = { only, budget: seconds * 1000, trust: true, ...(lie === undefined ? {} : { lie }) };
  const settings = readMutateSettings(options);
  const parts = { settings, baseline: undefined, signal };
  const { measurement, close } = await openMeasurement(words, { config: flags.config }, parts);
  try {
    await measurement.measure();
    return answerOf(measurement, settings);
  } finally {
    await close();
  }
}

const MOST_SURVIVORS = 20;

/** What an assistant can work down: one survivor after the other. */
function answerOf(measurement: Measurement, settings: MutateSettings) {
  const report = measurement.report();
  const survivors = survivorsOf(report);
  const { measured, control, families, units, unreached } = report;
  return {
    summary: numbersLine(report),
    ...{ measured, control, families },
    survivors: survivors.slice(0, MOST_SURVIVORS).map((site) => ({
      ...{ key: site.key, not_noticed: lieInWords(site.lie, site.field), site: site.site, harm: site.harm },
      assertion: toSee(site),
      units: site.rows
        .map(({ unit }) => units.find(({ name }) => name === unit))
        .map((unit) => ({ ...unit, sites: undefined })),
    })),
    survivors_left: Math.max(0, survivors.length - MOST_SURVIVORS),
    lies: report.lies.map(({ lie, field, site, unit, verdict, by }) => ({ lie, field, site, unit, verdict, by })),
    not_met: unreached.filter(({ why }) => why === 'no such road').map(({ lie }) => lie),
    error: shortfallOf(report, settings),
  };
}
