import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { canFetchNode, environmentOf, fetchNode } from '../../scripts/other-node.mjs';
import { emptyFolder } from '../cli/spawned-program.ts';
import { copyOf, imageStages, ROOT, type Stage } from './image-file.ts';

/** What a checkout brings into a build: what git knows of. */
function checkOut(into: string): void {
  execFileSync('bash', ['-ec', `git ls-files -z | xargs -0 cp --parents -t "$0"`, into], { cwd: ROOT });
}

interface Places {
  checkout: string;
  /** The root of the stage that is copied from. */
  build?: string;
}

/** The Node of the image, which is not that of the tests. */
function imageNode(): string {
  return /^node:(\d+)/.exec(imageStages()[0]?.image ?? '')?.[1] ?? '';
}

/** Carries out the steps of a stage below a folder that stands for the root of its image. */
function perform(stage: Stage, root: string, places: Places): void {
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
  execFileSync('bash', ['-ec', line], {
    ...{ cwd, stdio: 'pipe', env: { ...environmentOf(fetchNode(imageNode())), npm_config_prefer_offline: 'true' } },
  });
}

/** Stages are links of one another's files: each is written once. */
function copy({ from, sources, target }: ReturnType<typeof copyOf>, inside: (place: string) => string, places: Places) {
  for (const source of sources) {
    const origin = path.join((from ? places.build : places.checkout) ?? '', source);
    const isInto = target.endsWith('/') && source !== '.';
    const into = path.join(inside(target), isInto ? path.basename(source) : '');
    mkdirSync(path.dirname(into), { recursive: true });
    execFileSync('cp', ['-alfT', origin, into]);
  }
}

/** Bytes of all below as one compressed layer, in MB. */
function compressed(folder: string): number {
  return Number(execFileSync('bash', ['-ec', 'tar -c . | gzip | wc -c'], { cwd: folder, encoding: 'utf8' })) / 1e6;
}

/** What the page on CI and containers reckons, in MB: of the base image, published, and of what is put into it. */
function reckoned(): { base: number; app: number } {
  const page = readFileSync(path.join(ROOT, 'docs', 'ci.md'), 'utf8');
  const [, base, app] = /(\d+) MB of the base image and (\d+) MB/.exec(page.replace(/\s+/g, ' ')) ?? [];
  return { base: Number(base), app: Number(app) };
}

it.runIf(canFetchNode)('builds an image step by step, which starts and is smaller than 250 MB compressed', () => {
  const [build, run] = imageStages();
  if (!build || !run) throw new Error('two stages were expected');
  const [checkout, built, image] = [emptyFolder(), emptyFolder(), emptyFolder()];
  checkOut(checkout);
  perform(build, built, { checkout });
  perform(run, image, { checkout, build: built });
  const { base, app } = reckoned();
  const measured = compressed(path.join(image, 'app'));
  expect(base + measured).toBeLessThan(250);
  expect(Math.abs(measured - app), `the page says ${app} MB; measured are ${measured.toFixed(1)}`).toBeLessThan(5);
  const chat = `
    const headers = { authorization: 'Bearer ' + process.env.SVC_API_KEY, 'content-type': 'application/json' };
    const answer = await fetch(process.env.OPENAI_BASE_URL + '/images/generations', {
      method: 'POST', headers, body: '{"prompt":"a lighthouse"}' });
    console.log((await answer.json()).usage.credits_spent);`;
  const line = ['exec', '--quiet', '--', fetchNode(imageNode()).node, '--input-type=module', '-e', chat];
  const main = path.join(image, 'app', 'dist', 'main.js');
  expect(execFileSync(fetchNode(imageNode()).node, [main, ...line], { cwd: image, encoding: 'utf8' })).toBe('10\n');
});
