import { expect, it } from 'vitest';
import { VirtualClock } from '../../../src/base/clock/virtual-clock.ts';
import { pageOf, printJunit, printReportMarkdown, printSarif, printText } from '../../../src/check/print-report.ts';
import { makeDriftReport } from '../../../src/check/service/drift-report.ts';
import { Measurement } from '../../../src/check/service/measure.ts';
import { printableDrift } from '../../../src/check/service/print-drift.ts';
import { shapesText } from '../../../src/check/service/shapes.ts';
import { withoutKey } from '../../../src/control/openapi/known-words.ts';
import { isWhole, sampleOf } from '../../support/sample.ts';
import { world } from '../../support/world.ts';
import { ECHOED, HOSTILE, type HostileRow, SPELLINGS } from './hostile-answers.ts';
import { emulatorSide } from './quick-run.ts';
import { TwistedService, targetOf } from './stand-in.ts';

const standIn = await world();
const here = await emulatorSide();
const clock = new VirtualClock();

/** One run against a service that answers so, with the emulator's account behind it. */
async function run({ twist, budget = 0, only, isHeld }: HostileRow) {
  const account = await standIn.account({ credits: 1000 });
  const victim = await account.post('/webhooks', { url: 'http://127.0.0.1:9/mine', events: ['flow.run.failed'] });
  const service = await TwistedService.start(standIn.url, (answer, asked, self) => twist(answer, asked, self));
  const target = targetOf({ url: service.url, key: account.key }, isHeld ? 400 : undefined);
  const order = { budget, name: 'svc-emulator-drift-hostile', ...(only && { only }) };
  const began = clock.real();
  const measured = await new Measurement(target, order).measure();
  const seconds = (clock.real() - began) / 1000;
  const there = withoutKey(measured, ECHOED);
  const report = makeDriftReport({ against: service.url, there, here, isStrict: false });
  const shapes = shapesText(there, service.url, clock.real());
  const printable = printableDrift(report, true);
  const printed = [printText, printReportMarkdown, printJunit, printSarif].map((print) => print(printable));
  const texts = [JSON.stringify(report), shapes, JSON.stringify(pageOf(printable)), ...printed, ...there.notes];
  const spent = service.lost + 1000 - (await account.balance());
  const left = (await account.get('/webhooks')).body.webhooks.map(({ id }: { id: string }) => id);
  return { report, texts, spent, seconds, strangers: service.strangers, hasVictim: left.includes(victim.body.id) };
}

it.each(sampleOf(HOSTILE, 8))(
  'spends, writes and asks nothing that is not meant where an answer $what',
  async (row) => {
    const { loss } = row;
    const { report, texts, spent, seconds, strangers, hasVictim } = await run(row);
    if (isWhole) {
      const { requests, credits } = report.measured;
      const [first] = report.results.filter(({ outcome }) => outcome === 'differs');
      const worst = first ? `${first.rule ?? first.choice ?? 'new'} ${first.case}` : '';
      const ended = [`exit ${report.exit}`, `spent ${spent}`, `booked ${credits}`, `${requests} requests`];
      process.stdout.write(`${[row.what, ...ended, `${seconds.toFixed(1)} s`, worst].join(' | ')}\n`);
    }
    expect({ exit: report.exit, strangers, hasVictim }).toEqual({
      exit: row.exit ?? 1,
      strangers: [],
      hasVictim: true,
    });
    expect(spent).toBeLessThanOrEqual(row.spent ?? 0);
    const [first] = report.results;
    if (loss) expect(report.measured.credits).toBe(loss.booked);
    if (loss) expect(first).toMatchObject({ case: expect.stringContaining(loss.case), there: loss.there });
    const shown = [...Object.values(SPELLINGS), 'hunter2', '\x1b', '\u202e', 'victim'];
    const found = texts.filter((text) => shown.some((each) => text.includes(each)) || /[^\P{Cc}\n]/u.test(text));
    expect(found).toEqual([]);
  },
);

it('sends the id of an engine as a JSON string, whatever it contains', async () => {
  const id = 'vid_"}, "seconds": 60, "x": {"\\';
  const account = await standIn.account({ credits: 1000 });
  const service = await TwistedService.start(standIn.url, (answer, { line }) => {
    if (line === 'GET /v1/models') answer.body.data.push({ id, kind: 'video', pricing: '1 credits per second' });
    return undefined;
  });
  const target = targetOf({ url: service.url, key: account.key });
  const only = ['createVideo orders'];
  await new Measurement(target, { budget: 300, name: 'svc-emulator-drift-hostile', only }).measure();
  const orders = service.received.filter(({ line }) => line === 'POST /v1/videos/generations');
  expect(orders.map(({ sent }) => JSON.parse(sent))).toEqual([{ model: id, prompt: expect.any(String), seconds: 4 }]);
});
