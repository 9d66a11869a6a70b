import type { DeliveryRow, RunRecord } from '../runner/run-record.ts';
import { type Assertion, firstDifferences, hasValue, jobsOrdered, valueAt } from './answer-differences.ts';
import { type Dialect, fieldWords } from './assertion-words.ts';

/** What can be asserted of the events of a unit; `isWhole`: it has no account at hand. */
export function ofEvents(lied: RunRecord, truth: RunRecord, isWhole: boolean): (Assertion | undefined)[] {
  return [...fieldsOf(lied), delivered(truth, lied, isWhole), ...RELATIONS, verdict];
}

/** The fields in which an event is not the true one. */
function fieldsOf({ deliveries }: RunRecord): Assertion[] {
  return deliveries.flatMap((row) => {
    if (!row.truth) return [];
    const medium = mediumOf(row);
    const isSame = (each: DeliveryRow) => mediumOf(each) === medium;
    return firstDifferences(row.envelope, row.truth).map(({ steps, value }): Assertion => {
      return {
        words: fieldWords('event', steps, value),
        holds: (record) => record.deliveries.filter(isSame).some((each) => hasValue(each.envelope, steps, value)),
      };
    });
  });
}

/** A success may be reported as a failure. */
function mediumOf({ type }: DeliveryRow): string {
  return type.slice(0, type.lastIndexOf('.'));
}

/** What an event says of a take, and what the order of both has said. */
const RELATIONS: readonly Assertion[] = [
  {
    words: {
      expect: 'expect(event.data.id).toBe(order.data.find(({ take }) => take === event.data.take).id);',
      assert: 'assert.equal(event.data.id, order.data.find(({ take }) => take === event.data.take).id);',
      pytest:
        'assert event["data"]["id"] == next(job["id"] for job in order["data"] if job["take"] == event["data"]["take"])',
      go: 'for _, job := range order.Data { if job.Take == event.Data.Take && job.ID != event.Data.ID { t.Fatalf("take %d is %s, not %s", job.Take, job.ID, event.Data.ID) } }',
    },
    holds: (record) => everyEventOfTakes(record, ({ id, take }, order) => order.get(String(id))?.take === take),
  },
  {
    words: {
      expect: 'expect(event.data.seed).toBe(order.data.find(({ id }) => id === event.data.id).seed);',
      assert: 'assert.equal(event.data.seed, order.data.find(({ id }) => id === event.data.id).seed);',
      pytest:
        'assert event["data"]["seed"] == next(job["seed"] for job in order["data"] if job["id"] == event["data"]["id"])',
      go: 'for _, job := range order.Data { if job.ID == event.Data.ID && job.Seed != event.Data.Seed { t.Fatalf("the seed is %d, expected %d", event.Data.Seed, job.Seed) } }',
    },
    holds: (record) => everyEventOfTakes(record, ({ id, seed }, order) => order.get(String(id))?.seed === seed),
  },
];

type Jobs = ReturnType<typeof jobsOrdered>;

/** Whether there are events of takes that an order has listed, and all of them are so. */
function everyEventOfTakes(record: RunRecord, isSo: (data: Record<string, unknown>, jobs: Jobs) => boolean): boolean {
  const jobs = jobsOrdered(record);
  const data = record.deliveries.map(({ envelope }) => Object(valueAt(envelope, ['data'])));
  const known = data.filter(({ id }) => jobs.has(String(id)));
  return known.length > 0 && known.every((each) => isSo(each, jobs));
}

/** A type of event that came on the truth and does not under the lie. */
function delivered(truth: RunRecord, lied: RunRecord, isWhole: boolean): Assertion | undefined {
  const types = (record: RunRecord) => record.deliveries.filter(isDelivered).map(({ type }) => type);
  const missing = types(truth).find((type) => !types(lied).includes(type));
  if (missing === undefined) return undefined;
  return { words: deliveredWords(missing, isWhole), holds: (record) => types(record).includes(missing) };
}

function deliveredWords(type: string, isWhole: boolean): Record<Dialect, string> {
  const note = 'the events that the receiver got';
  if (isWhole) {
    return {
      expect: `expect(events.map((event) => event.type)).toContain('${type}'); // ${note}`,
      assert: `assert.ok(events.some((event) => event.type === '${type}')); // ${note}`,
      pytest: `assert any(event["type"] == "${type}" for event in events)  # ${note}`,
      go: `if !types["${type}"] { t.Fatal("${type} did not come") } // types: of ${note}`,
    };
  }
  return {
    expect: `await expect(account).toHaveDelivered('${type}');`,
    assert: `assert.ok((await account.deliveries()).some((each) => each.type === '${type}'));`,
    pytest: `assert any(each["type"] == "${type}" for each in account.deliveries())`,
    go: `receiver.Wait(t, "${type}")`,
  };
}

function isDelivered({ status }: DeliveryRow): boolean {
  return status === 'delivered';
}

/** A forged event that was believed is a finding of the verdict. */
const verdict: Assertion = {
  words: {
    expect: 'expect((await account.verdict()).findings).toEqual([]);',
    assert: 'assert.deepEqual((await account.verdict()).findings, []);',
    pytest: 'assert account.verdict()["findings"] == []',
    go: 'var verdict struct{ Findings []svctest.JSON }; svctest.Control(t, "GET", "/verdict?account_id="+account.ID, nil, &verdict); if len(verdict.Findings) > 0 { t.Fatalf("%v", verdict.Findings) }',
  },
  holds: ({ findings }) => findings.length === 0,
};
