import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { benchFolder } from './bench-folder.ts';
import { openBrowser } from './bench-page.ts';
import { type BenchRow, median } from './bench-row.ts';

const ROUNDS = 5;
const REQUESTS = 1000;
const MOVES = 40;
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

/** What a trace costs its run, how soon it is open, and how soon each moment of it is drawn. */
export async function traceBench(): Promise<BenchRow[]> {
  const file = path.join(benchFolder(), 'trace.html');
  const [plain, traced, written] = [[] as number[], [] as number[], [] as number[]];
  for (let round = 0; round < ROUNDS; round += 1) {
    // By turns: whoever is second finds the machine as the first has left it.
    const turns = round % 2 === 0 ? [[], ['--trace', file]] : [['--trace', file], []];
    for (const flags of turns) {
      const { took, after } = await run(flags);
      if (flags.length === 0) plain.push(took);
      else {
        traced.push(took);
        written.push(after);
      }
    }
  }
  const throughput = median(plain.map((took, round) => took / (traced[round] ?? took)));
  const rows: BenchRow[] = [
    atMost('trace, ms from the end of the command to that of exec, 1,000 requests', median(written), 1000),
    {
      name: 'trace, throughput of chat beside a run without it',
      ...{ ours: `${median(traced).toFixed(0)} ms`, theirs: `${median(plain).toFixed(0)} ms` },
      ...{ ratio: throughput, bar: '>= 0.97' },
    },
    atMost('trace, MB of the file, 1,000 requests', statSync(file).size / 1_000_000, 4),
  ];
  return [...rows, ...(await pageRows(file))];
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
  const [opened, moved, slowest] = [[] as number[], [] as number[], [] as number[]];
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const page = await browser.newPage();
      const began = performance.now();
      await page.goto(pathToFileURL(file).href);
      await page.getByRole('slider', { name: 'Moment of the run' }).waitFor();
      await page.locator('.list').first().waitFor();
      opened.push(performance.now() - began);
      const moves = await page.evaluate<number[]>(MOVE);
      moved.push(...moves);
      slowest.push(Math.max(...moves));
      await page.close();
    }
  } finally {
    await browser.close();
  }
  const [name] = [`${(readFileSync(file).length / 1_000_000).toFixed(1)} MB`];
  return [
    atMost(`trace, ms to interactive, ${name}`, median(opened), 1500),
    atMost('trace, ms of a move of the slider until it is drawn', median(moved), 50),
    atMost(`trace, ms of the slowest of ${2 * MOVES} moves`, median(slowest), 50),
  ];
}

/** Steps back by key, and drags from end to end; each move counts until the frame after it is drawn. */
const MOVE = `(async () => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  const times = [];
  for (let move = 0; move < ${MOVES}; move += 1) {
    await frame();
    const began = performance.now();
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true }));
    await frame();
    times.push(performance.now() - began);
  }
  const slider = document.querySelector('input[type=range]');
  const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
  for (let move = 0; move < ${MOVES}; move += 1) {
    await frame();
    const began = performance.now();
    set.call(slider, Math.round((slider.max * ((move * 17) % ${MOVES})) / ${MOVES}));
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    await frame();
    times.push(performance.now() - began);
  }
  return times;
})()`;

function atMost(name: string, ours: number, bar: number): BenchRow {
  return { name, ours: ours.toFixed(ours < 10 ? 2 : 0), theirs: '', ratio: ours, bar: `<= ${bar}` };
}
