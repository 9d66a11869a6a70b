import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { emptyFolder } from '../cli/spawned-program.ts';
import { copyOf, imageStages, ROOT, type Stage } from './image-file.ts';

/** What a checkout brings into a build: what git knows of. */
function checkOut(into: string): void {
  const names = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0').filter(Boolean);
  for (const name of names) cpSync(path.join(ROOT, name), path.join(into, name), { recursive: true });
}

interface Places {
  checkout: string;
  /** The root of the stage that is copied from. */
  build?: string;
}

/** Carries out the steps of a stage below a folder that stands for the root of its image. */
function carryOut(stage: Stage, root: string, places: Places): void {
  let folder = root;
  const inside = (place: string) => (place.startsWith('/') ? path.join(root, place) : path.join(folder, place));
  for (const step of stage.steps) {
    const content = step.getArgumentsContent() ?? '';
    const keyword = step.getKeyword();
    if (keyword === 'WORKDIR') {
      folder = inside(content);
      mkdirSync(folder, { recursive: true });
    }
    if (keyword === 'RUN') run(content.replaceAll(' /data', ` ${path.join(root, 'data')}`), folder);
    if (keyword === 'COPY') copy(copyOf(step), inside, places);
  }
}

function run(line: string, cwd: string): void {
  execFileSync('bash', ['-ec', line], { cwd, stdio: 'pipe' });
}

function copy({ from, sources, target }: ReturnType<typeof copyOf>, inside: (place: string) => string, places: Places) {
  for (const source of sources) {
    const origin = path.join((from ? places.build : places.checkout) ?? '', source);
    const isInto = target.endsWith('/') && source !== '.';
    cpSync(origin, path.join(inside(target), isInto ? path.basename(source) : ''), { recursive: true });
  }
}

/** Bytes of all files below, compressed each by itself: more than a layer takes. */
function compressed(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile())
    .reduce((sum, file) => sum + gzipSync(execFileSync('cat', [file], { maxBuffer: 2 ** 30 })).length, 0);
}

/** The published compressed size of the slim base image, rounded up: it is not here to be measured. */
const BASE_MB = 80;

it('builds by its steps, one by one, an image that starts and stays under 250 MB compressed', () => {
  const [build, run] = imageStages();
  if (!build || !run) throw new Error('two stages were expected');
  const [checkout, built, image] = [emptyFolder(), emptyFolder(), emptyFolder()];
  checkOut(checkout);
  carryOut(build, built, { checkout });
  carryOut(run, image, { checkout, build: built });
  expect(compressed(path.join(image, 'app')) / 1e6 + BASE_MB).toBeLessThan(250);
  const chat = `
    const headers = { authorization: 'Bearer ' + process.env.SVC_API_KEY, 'content-type': 'application/json' };
    const answer = await fetch(process.env.OPENAI_BASE_URL + '/images/generations', {
      method: 'POST', headers, body: '{"prompt":"a lighthouse"}' });
    console.log((await answer.json()).usage.credits_spent);`;
  const line = ['exec', '--quiet', '--', process.execPath, '--input-type=module', '-e', chat];
  const main = path.join(image, 'app', 'dist', 'main.js');
  expect(execFileSync(process.execPath, [main, ...line], { cwd: image, encoding: 'utf8' })).toBe('10\n');
});
