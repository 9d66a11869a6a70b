import { parsedJson } from '../../base/parsed-json.ts';
import type { FileRead, RunRecord } from '../runner/run-record.ts';
import { type Assertion, jobsOrdered } from './answer-differences.ts';
import { headerNamed, words } from './assertion-words.ts';

/** What can be asserted of the files of a unit, and of the jobs that made them. */
export function ofFiles(lied: RunRecord, baseline: RunRecord): Assertion[] {
  return [...typeOf(baseline), ...sizeOf(lied, baseline), differ, seedsOfOrder, seedOfJob, ...staysFinal(baseline)];
}

/** What can be asserted of the lyrics of songs: they are those that were sent, and a job's are those of its order. */
export const OF_LYRICS: readonly Assertion[] = [
  {
    words: {
      expect: 'expect(order.lyrics).toBe(sent.lyrics); // what the order was sent with',
      assert: 'assert.equal(order.lyrics, sent.lyrics); // what the order was sent with',
      pytest: 'assert order["lyrics"] == sent["lyrics"]  # what the order was sent with',
      go: 'if order.Lyrics != sent.Lyrics { t.Fatalf("lyrics is %q", order.Lyrics) } // sent: what the order was sent with',
    },
    holds: (record) => {
      const orders = ordersOf(record).filter(({ sent }) => typeof sent === 'string' && sent !== '');
      return orders.length > 0 && orders.every(({ sent, answered }) => answered === sent);
    },
  },
  {
    words: {
      expect: 'expect(job.lyrics).toBe(order.lyrics);',
      assert: 'assert.equal(job.lyrics, order.lyrics);',
      pytest: 'assert job["lyrics"] == order["lyrics"]',
      go: 'if job.Lyrics != order.Lyrics { t.Fatalf("lyrics is %q, expected %q", job.Lyrics, order.Lyrics) }',
    },
    holds: (record) => {
      const lyrics = new Map(ordersOf(record).flatMap(({ ids, answered }) => ids.map((id) => [id, answered])));
      const reads = readsOf(record).filter(({ id }) => typeof lyrics.get(id) === 'string');
      return reads.length > 0 && reads.every((job) => job.lyrics === lyrics.get(job.id));
    },
  },
];

/** The lyrics of each order: as they were sent, and as its answer has them, with the ids of its jobs. */
function ordersOf({ requests }: RunRecord): { sent: unknown; answered: unknown; ids: unknown[] }[] {
  const orders = requests.filter(({ method, status }) => method === 'POST' && status === 202);
  return orders.map(({ request, answer }) => {
    const { lyrics: answered, data = [] } = Object(parsedJson(answer));
    return { sent: Object(parsedJson(request)).lyrics, answered, ids: [data].flat().map((job) => Object(job).id) };
  });
}

function filesOf({ requests }: RunRecord): (FileRead & { path: string })[] {
  return requests.flatMap(({ file, path, status }) => (file && status === 200 ? [{ ...file, path }] : []));
}

/** Two takes are two files. */
const differ: Assertion = {
  words: {
    expect: 'expect(files[0].equals(files[1])).toBe(false); // the bytes of both takes',
    assert: 'assert.ok(!files[0].equals(files[1])); // the bytes of both takes',
    pytest: 'assert files[0] != files[1]  # the bytes of both takes',
    go: 'if bytes.Equal(files[0], files[1]) { t.Fatal("both takes are one file") } // files: the bytes of both takes',
  },
  holds: (record) => {
    const etags = new Map(filesOf(record).map(({ path, etag }) => [path, etag]));
    return etags.size > 1 && new Set(etags.values()).size === etags.size;
  },
};

/** How much shorter a file may be that is no other one. */
const SPARE = 0.75;

/** A file is about as long as the shortest one on the baseline. */
function sizeOf(lied: RunRecord, baseline: RunRecord): Assertion[] {
  const types = new Set(filesOf(lied).map(({ content_type: type }) => type));
  return [...types].flatMap((type) => {
    const ofType = (record: RunRecord) => filesOf(record).filter((each) => each.content_type === type);
    const least = Math.floor(Math.min(...ofType(baseline).map(({ bytes }) => bytes)) * SPARE);
    if (!Number.isFinite(least)) return [];
    return {
      words: {
        expect: `expect(file.length).toBeGreaterThan(${least}); // its bytes`,
        assert: `assert.ok(file.length > ${least}); // its bytes`,
        pytest: `assert len(file) > ${least}  # its bytes`,
        go: `if len(file) <= ${least} { t.Fatalf("the file has %d bytes", len(file)) } // file: its bytes`,
      },
      holds: (record) => ofType(record).length > 0 && ofType(record).every(({ bytes }) => bytes > least),
    };
  });
}

function typeOf(baseline: RunRecord): Assertion[] {
  const types = [...new Set(filesOf(baseline).map(({ content_type: type }) => type))];
  const [only, ...others] = types;
  if (only === undefined || others.length > 0) return [];
  return [
    {
      words: words(headerNamed('content-type'), only),
      holds: (record) => filesOf(record).length > 0 && filesOf(record).every((each) => each.content_type === only),
    },
  ];
}

/** What reads of jobs were answered that an order has listed. */
function readsOf(record: RunRecord): Record<string, unknown>[] {
  const jobs = jobsOrdered(record);
  const reads = record.requests.filter(({ method, status }) => method === 'GET' && status === 200);
  return reads.map(({ answer }) => Object(parsedJson(answer))).filter(({ id }) => jobs.has(String(id)));
}

const seedOfJob: Assertion = {
  words: {
    expect: 'expect(job.seed).toBe(order.data.find(({ id }) => id === job.id).seed);',
    assert: 'assert.equal(job.seed, order.data.find(({ id }) => id === job.id).seed);',
    pytest: 'assert job["seed"] == next(each["seed"] for each in order["data"] if each["id"] == job["id"])',
    go: 'for _, each := range order.Data { if each.ID == job.ID && each.Seed != job.Seed { t.Fatalf("the seed is %d, expected %d", job.Seed, each.Seed) } }',
  },
  holds: (record) => {
    const jobs = jobsOrdered(record);
    const reads = readsOf(record);
    return reads.length > 0 && reads.every(({ id, seed }) => jobs.get(String(id))?.seed === seed);
  },
};

const seedsOfOrder: Assertion = {
  words: {
    expect: 'expect(order.data[0].seed).not.toBe(order.data[1].seed);',
    assert: 'assert.notEqual(order.data[0].seed, order.data[1].seed);',
    pytest: 'assert order["data"][0]["seed"] != order["data"][1]["seed"]',
    go: 'if order.Data[0].Seed == order.Data[1].Seed { t.Fatal("both takes have one seed") }',
  },
  holds: (record) => {
    const seeds = [...jobsOrdered(record).values()].map(({ seed }) => seed);
    return seeds.length > 1 && new Set(seeds).size === seeds.length;
  },
};

const AGAIN = { js: 'again.status', py: 'again["status"]', go: 'again.Status', name: 'status' };

/** A job that has ended stays as it is. */
function staysFinal(baseline: RunRecord): Assertion[] {
  const last = readsOf(baseline).at(-1);
  if (last?.completed === undefined || typeof last.status !== 'string') return [];
  return [{ words: words(AGAIN, last.status), holds: isReadAgain }];
}

/** Whether an ended job was read again, and had ended then, too. */
function isReadAgain(record: RunRecord): boolean {
  const ended = new Set<unknown>();
  const again = readsOf(record).filter(({ id, completed }) => {
    const isAgain = ended.has(id);
    if (completed !== undefined) ended.add(id);
    return isAgain;
  });
  return again.length > 0 && again.every(({ completed }) => completed !== undefined);
}
