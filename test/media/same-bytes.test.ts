import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { afterAll, expect, it } from 'vitest';
import type { RenderRequest } from '../../src/media/render-request.ts';
import { image, openRig, type Rig } from './render-rig.ts';

const [alone, four] = [openRig(1), openRig(4)];
afterAll(() => Promise.all([alone.renderer.close(), four.renderer.close()]));

function read<T>(name: string): Record<string, T> {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as Record<string, T>;
}

const golden = read<string>('golden-hashes.json');
const requests = read<RenderRequest>('golden-requests.json');
const onLinux = process.platform === 'linux' && process.arch === 'x64';

const made = new Map<string, Promise<string>>();

/** The hash of a request from the rig with one worker, which renders each request once. */
function hashAlone(name: string): Promise<string> {
  const known = made.get(name) ?? hash(alone, name);
  made.set(name, known);
  return known;
}

const together = new Map(
  await Promise.all(Object.keys(requests).map(async (name) => [name, await hash(four, name)] as const)),
);

async function hash(rig: Rig, name: string): Promise<string> {
  const target = rig.file(name);
  await rig.renderer.render(requests[name] as RenderRequest, target);
  return createHash('sha256').update(readFileSync(target)).digest('hex');
}

it.runIf(onLinux).each(Object.keys(requests))('renders the example %s with the recorded bytes [I097]', async (name) => {
  expect(together.get(name)).toBe(golden[name]);
});

it.each(['reef', 'snow'])(
  'renders the example %s as the same bytes with one worker and with four [I097]',
  async (name) => {
    expect(await hashAlone(name)).toBe(together.get(name));
  },
);

it('renders an image with the same bytes again after another image in the same worker [I097]', async () => {
  const first = await hashAlone('reef');
  await alone.renderer.render(image({ prompt: 'a red balloon, noir, framed' }), alone.file('other'));
  expect(await hash(alone, 'reef')).toBe(first);
});

it('renders an image with the same bytes in another process [I097]', async () => {
  const script = fileURLToPath(new URL('hash-elsewhere.mjs', import.meta.url));
  const told = execFileSync(process.execPath, [script, JSON.stringify(requests.reef), four.folder]);
  expect(told.toString().trim()).toBe(await hashAlone('reef'));
});

it('includes the version of sharp in the version of the renderer', () => {
  expect(alone.renderer.version).toContain(`-sharp-${sharp.versions.sharp}-`);
});
