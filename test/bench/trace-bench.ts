import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { openBrowser } from './bench-page.ts';
import { atMost, type BenchRow, each, median, timed } from './bench-row.ts';
import { withFolder } from './bench-server.ts';

const ROUNDS = 5;
const REQUESTS = 1000;
const MAIN = path.join(import.meta.dirname, '..', '..', 'dist', 'main.js');

/** A thousand chats, sixteen at once; its last line tells how long they took, and when they were over. */
const WORK = `
  const { OPENAI_BASE_URL, OPENAI_API_KEY } = process.env;
  const headers = { authorization: 'Bearer ' + OPENAI_API_KEY, 'content-type': 'application/json' };
  const body = JSON.stringify({ model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Where does the road lead?' }] });
  let left = ${REQUESTS};
  const began = performance.now();
  await Promise.all(Array.from({ length: 16 }, async () => {
    while (left-- > 0) await (await fetch(OPENAI_BASE_URL + '/chat/completions', { method: 'POST', headers, body })).text();
  }));
  console.log(JSON.stringify({ took: performance.now() - began, ended: Date.now() }));`;

/** What a trace costs its run, and how soon it is open. */
export function traceBench(): Promise<BenchRow[]> {
  return withFolder(async (folder) => {
    const file = path.join(folder, 'trace.html');
    const rounds = await each(ROUNDS, async (round) => {
      // By turns: the second finds the machine as the first has left it.
      const early = round % 2 === 0 ? await run([]) : undefined;
      const traced = await run(['--trace', file]);
      return { plain: early ?? (await run([])), traced };
    });
    const [ours, theirs] = (['traced', 'plain'] as const).map((kind) => median(rounds.map((each) => each[kind].took)));
    const throughput = median(rounds.map(({ plain, traced }) => plain.took / traced.took));
    const written = median(rounds.map(({ traced }) => traced.after));
    return [
      atMost('trace, ms from the end of the command to that of exec, 1,000 requests', written, 1000, 0),
      {
        name: 'trace, throughput of chat beside a run without it',
        ours: `${ours?.toFixed(0)} ms`,
        theirs: `${theirs?.toFixed(0)} ms`,
        ratio: throughput,
        bar: '>= 0.97',
      },
      atMost('trace, MB of the file, 1,000 requests', statSync(file).size / 1_000_000, 4, 2),
      ...(await pageRows(file)),
    ];
  });
}

async function run(flags: string[]): Promise<{ took: number; after: number }> {
  const args = ['exec', '--quiet', ...flags, '--', process.execPath, '--input-type=module', '-e', WORK];
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  await once(child, 'close');
  const { took, ended } = JSON.parse(text);
  return { took, after: Date.now() - ended };
}

async function pageRows(file: string): Promise<BenchRow[]> {
  const browser = await openBrowser();
  try {
    const rounds = await each(ROUNDS, async () => {
      const page = await browser.newPage();
      const opened = await timed(async () => {
        await page.goto(pathToFileURL(file).href);
        await page.locator('.list').first().waitFor();
      });
      await page.close();
      return opened;
    });
    const megabytes = (readFileSync(file).length / 1_000_000).toFixed(1);
    return [atMost(`trace, ms to interactive, ${megabytes} MB`, median(rounds), 1500, 0)];
  } finally {
    await browser.close();
  }
}
