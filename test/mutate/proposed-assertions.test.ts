import { expect, it } from 'vitest';
import { MutateSurvivors, mutate, type StoryParts } from '../../src/index.ts';

const SONGS = '/v1/music/generations';

/** Orders two takes with a receiver, reads each job three times and its file, and looks at nothing. */
function buys(prompt: string) {
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
    const order = { model: 'svc-music-one', prompt, seconds: 30, n: 2 };
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
async function proposed(prompt: string, only: readonly string[]): Promise<Record<string, string | undefined>> {
  const found = await mutate(buys(prompt), { only, budget: 0, trust: true, jobs: 1 }).catch((error: unknown) => error);
  if (!(found instanceof MutateSurvivors)) throw found;
  const rows = found.report.lies.map(({ lie, site, assertion }) => [`${lie} ${site.split(' ')[0]}`, assertion]);
  return Object.fromEntries(rows);
}

it('proposes what sees a lie about events, jobs and files, proven over the record of both runs', async () => {
  const lies = [
    'event.none',
    'event.other_job',
    'event.takes_swapped',
    'seed.same',
    'job.back',
    'job.no_url',
    'file.*',
  ];
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
