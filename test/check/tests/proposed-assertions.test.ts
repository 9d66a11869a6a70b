import { expect, it } from 'vitest';
import {
  callsIt,
  type Dialect,
  expects,
  fieldOf,
  firstDifferences,
  writtenLine,
} from '../../../src/check/tests/assertion-words.ts';
import { type MutateReport, MutateSurvivors, mutate, type StoryParts } from '../../../src/index.ts';

const SONGS = '/v1/music/generations';

/** Orders two takes with a receiver, reads each job three times and its file, and looks at nothing. */
function buys(prompt: string, lyrics?: string) {
  return async function story({ emulator, account, inbox }: StoryParts): Promise<void> {
    const headers = { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' };
    const ask = async (method: string, path: string, body?: object) => {
      const answer = await fetch(new URL(path, emulator.url), { method, headers, body: body && JSON.stringify(body) });
      const text = await answer.text();
      expect(answer.status).not.toBe(500);
      return text.startsWith('{') ? JSON.parse(text) : {};
    };
    const events = ['music.generation.succeeded', 'music.generation.failed'];
    await ask('POST', '/v1/webhooks', { url: inbox.url, events });
    const order = { model: 'svc-music-one', prompt, lyrics, seconds: 30, n: 2 };
    const { data = [] } = await ask('POST', SONGS, order);
    await account.waitFor.idle({ timeout: 60 });
    for (const { id } of data) {
      for (const turn of [1, 2, 3]) {
        const { result_url: url } = await ask('GET', `${SONGS}/${id}`);
        if (url && turn === 3) await ask('GET', url);
      }
    }
  };
}

/** The assertion that is proposed for each lie, by its name and the first word of its site. */
async function proposed(
  prompt: string,
  only: readonly string[],
  lyrics?: string,
): Promise<Record<string, string | undefined>> {
  const options = { only, budget: 0, trust: true, jobs: 1 };
  const found = await mutate(buys(prompt, lyrics), options).catch((error: unknown) => error);
  const report = found instanceof MutateSurvivors ? found.report : (found as MutateReport);
  const rows = report.lies.map(({ lie, site, assertion }) => [`${lie} ${site.split(' ')[0]}`, assertion]);
  return Object.fromEntries(rows);
}

it('proposes what sees a lie about events, jobs and files, proven over the record of both runs', async () => {
  const lies = 'event.none event.other_job event.takes_swapped seed.same job.back job.no_url file.*'.split(' ');
  const sameTake = 'assert.equal(event.data.id, order.data.find(({ take }) => take === event.data.take).id);';
  expect(await proposed('a slow waltz', lies)).toEqual({
    'event.none event':
      "assert.ok(events.some((event) => event.type === 'music.generation.succeeded')); // the events that the receiver got",
    'event.other_job event': sameTake,
    'event.takes_swapped event': sameTake,
    'seed.same event': 'assert.equal(event.data.seed, order.data.find(({ id }) => id === event.data.id).seed);',
    'seed.same GET': 'assert.equal(job.seed, order.data.find(({ id }) => id === job.id).seed);',
    'seed.same POST': 'assert.notEqual(order.data[0].seed, order.data[1].seed);',
    'job.back GET': "assert.equal(again.status, 'succeeded');",
    'job.no_url GET': "assert.equal(typeof body.result_url, 'string');",
    'file.other_take file': 'assert.ok(!files[0].equals(files[1])); // the bytes of both takes',
    'file.cut file': expect.stringMatching(/^assert\.ok\(file\.length > \d{5,}\); \/\/ its bytes$/),
    'file.page file': "assert.equal(response.headers.get('content-type'), 'audio/mpeg');",
  });
});

it('proposes what sees a failure that is reported otherwise than it is', async () => {
  expect(await proposed('[[fail]] waltz', ['event.failed_as_done', 'event.no_error', 'job.new_status'])).toEqual({
    'event.failed_as_done event': "assert.equal(event.type, 'music.generation.failed');",
    'event.no_error event': "assert.equal(event.data.error.code, 'render_failed');",
    'job.new_status GET': "assert.equal(body.status, 'failed');",
  });
});

it('proposes that lyrics are those that were sent, and that a job has those of its order', async () => {
  const ofOrder = 'assert.equal(job.lyrics, order.lyrics);';
  expect(await proposed('a slow waltz', ['lyrics.other'])).toEqual({
    'lyrics.other POST': ofOrder,
    'lyrics.other GET': ofOrder,
  });
  expect(
    await proposed('a slow waltz', ['lyrics.other'], '[Verse]\nThe lamp is lit\n\n[Chorus]\nThe road is long'),
  ).toEqual({
    'lyrics.other POST': 'assert.equal(order.lyrics, sent.lyrics); // what the order was sent with',
    'lyrics.other GET': ofOrder,
  });
});

it('takes it for no harm that a job was read in the baseline run and not under a lie: how often is a matter of pace', async () => {
  const stories = [true];
  const story = async ({ emulator, account }: StoryParts) => {
    const headers = { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ model: 'svc-music-one', prompt: 'a slow waltz', seconds: 30 });
    const ordered = await fetch(new URL(SONGS, emulator.url), { method: 'POST', headers, body });
    expect(ordered.status).toBe(202);
    const { data } = (await ordered.json()) as { data: { id: string }[] };
    if (stories.pop()) await fetch(new URL(`${SONGS}/${data[0]?.id}`, emulator.url), { headers });
  };
  const report = await mutate(story, { only: ['lyrics.other'], budget: 0, trust: true, jobs: 1 });
  const rows = report.lies.map(({ site, verdict, harm }) => [site.split(' ')[0], verdict, harm]);
  expect(rows).toContainEqual(['POST', 'unread', false]);
});

it('proposes the beginning of a long text, or its end where that is what differs', () => {
  const text = `Good evening, traveller.\n${'It rains on the hill. '.repeat(8)}\nWhere does the road go?`;
  const proposal = (told: string, dialect: Dialect) =>
    firstDifferences({ content: told }, { content: text }).map(({ steps, value }) =>
      writtenLine(expects(fieldOf('body', steps), value), dialect),
    );
  expect(proposal('', 'expect')).toEqual(["expect(body.content.startsWith('Good evening, traveller.')).toBe(true);"]);
  expect(proposal(text.slice(0, 60), 'pytest')).toEqual(['assert body["content"].endswith("Where does the road go?")']);
});

it('proposes lines of Go to a suite of Go, for the fields of what is decoded', async () => {
  const command = 'go test ./...';
  const story = { [command]: buys('a slow waltz') };
  const only = ['charge.one_more', 'spent.zero', 'job.no_url', 'seed.same', 'file.page'];
  const found = await mutate(Object.defineProperty(story[command] as () => Promise<void>, 'name', { value: command }), {
    ...{ only, budget: 0, trust: true, jobs: 1 },
  }).catch((error: unknown) => error);
  const { lies } = (found as MutateSurvivors).report;
  const lines = Object.fromEntries(lies.map(({ lie, site, assertion }) => [`${lie} ${site.split(' ')[0]}`, assertion]));
  expect(lines).toMatchObject({
    'charge.one_more ledger': expect.stringMatching(
      /^if account\.Credits != (\d+) \{ t\.Fatalf\("credits is %d", account\.Credits\) \} \/\/ the answer of GET \/v1\/account$/,
    ),
    'spent.zero POST':
      'if body.Usage.CreditsSpent != 6 { t.Fatalf("usage.credits_spent is %v, expected %v", body.Usage.CreditsSpent, 6) }',
    'job.no_url GET': 'if body.ResultURL == "" { t.Fatal("result_url is missing") }',
    'seed.same POST': 'if order.Data[0].Seed == order.Data[1].Seed { t.Fatal("both takes have one seed") }',
    'file.page file':
      'if response.Header.Get("content-type") != "audio/mpeg" { t.Fatalf("content-type is %v, expected %v", response.Header.Get("content-type"), "audio/mpeg") }',
  });
});

it.each([
  [
    ['data', 0, 'library_id'],
    { row: 'value', value: null },
    'if body.Data[0].LibraryID != nil { t.Fatalf("data.0.library_id is %v, expected %v", body.Data[0].LibraryID, nil) }',
  ],
  [
    ['data'],
    { row: 'length', value: 2 },
    'if len(body.Data) != 2 { t.Fatalf("data has %d, expected 2", len(body.Data)) }',
  ],
  [
    ['b64_json'],
    { row: 'begins', value: 'a "b' },
    'if !strings.HasPrefix(body.B64JSON, "a \\"b") { t.Fatalf("b64_json is %q", body.B64JSON) }',
  ],
] as const)('writes the field %j in Go', (steps, value, line) => {
  expect(writtenLine(expects(fieldOf('body', steps), value), 'go')).toBe(line);
});

it.each([
  ["fetch(base + '/v1/chat/completions', order)", '/v1/chat/completions', true],
  ['await openai.images.generate({ prompt })', '/v1/images/generations', true],
  ["fetch(shop.url + '/orders')", '/v1/chat/completions', false],
  ["fetch(base + '/music/generations/' + id)", '/v1/music/generations/mus_0123456789ab', true],
  ['await account.verdict()', '/v1/account', false],
])('knows of %s whether it asks for %s itself', (content, path, isSo) => {
  expect(callsIt(content, path)).toBe(isSo);
});
