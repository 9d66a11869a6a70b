import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { VirtualClock } from '../../src/base/clock/virtual-clock.ts';
import type { RenderRequest } from '../../src/media/render-request.ts';
import { WorkerRenderer } from '../../src/media/worker-renderer.ts';
import { emptyFolder } from '../cli/spawned-program.ts';

const folder = emptyFolder();
const clock = new VirtualClock();
/** All tests share one thread, because each test waits until its renders have ended. */
const renderer = new WorkerRenderer({ clock, workers: 1, scratchFolder: folder });
afterAll(() => renderer.close());

const rows: [string, RenderRequest][] = [
  ['image', { kind: 'image', model: 'svc-image-one', prompt: 'a lighthouse', seed: 7 }],
  [
    'clip',
    {
      ...{ kind: 'clip', model: 'svc-motion-one', engine: 'svc-motion-one', prompt: 'waves' },
      ...{ width: 854, height: 480, seconds: 2, audio: true, seed: 7, figures: [], references: [] },
    } as RenderRequest,
  ],
  ['speech', { kind: 'speech', model: 'svc-voice-one', text: 'Hello there.', voice: 'aria' }],
  [
    'song',
    {
      ...{ kind: 'song', model: 'svc-music-one', title: 'Tide', style: 'folk', lyrics: null },
      ...{ seconds: 30, seed: 1 },
    } as RenderRequest,
  ],
];

it('interrupts current and queued renders at a reset, and renders the next one', async () => {
  const [, song] = rows[3] as [string, RenderRequest];
  const cut = ['first', 'behind it'].map((name) => renderer.render(song, join(folder, name)));
  const ends = Promise.allSettled(cut);
  renderer.interrupt(new Error('overtaken'));
  expect(await ends).toMatchObject(Array(2).fill({ status: 'rejected', reason: { message: 'overtaken' } }));
  expect(readdirSync(folder).filter((name) => ['first', 'behind it'].includes(name))).toEqual([]);
  const [, image] = rows[0] as [string, RenderRequest];
  expect((await renderer.render(image, join(folder, 'next'))).contentType).toBe('image/png');
});

it('rejects a render that exceeds its time limit with render_failed', async () => {
  const hurried = new WorkerRenderer({
    ...{ clock, workers: 1, scratchFolder: folder },
    timeLimitMs: 1,
  });
  const [, song] = rows[3] as [string, RenderRequest];
  await expect(hurried.render(song, join(folder, 'late'))).rejects.toMatchObject({
    code: 'render_failed',
  });
  await hurried.close();
  expect(readdirSync(folder)).not.toContain('late');
});

it('starts a large video only after another large one has ended, even with four workers, and renders an image meanwhile', async () => {
  const wide = new WorkerRenderer({ clock, workers: 4, scratchFolder: folder });
  const story: string[] = [];
  const [[, picture], [, clip]] = rows as [(typeof rows)[0], (typeof rows)[0]];
  const large = { ...clip, width: 2560, height: 1440, seconds: 1 } as RenderRequest;
  const told = async (name: string, request: RenderRequest) => {
    const isRendered = await wide.render(request, join(folder, name)).then(
      () => true,
      () => false,
    );
    story.push(isRendered ? name : `failed ${name}`);
  };
  // A request without figures fails as soon as its turn comes.
  const failing = { ...large, figures: null } as unknown as RenderRequest;
  await Promise.all([told('one', large), told('other', failing), told('picture', picture)]);
  await wide.close();
  expect(story.slice(0, 2).sort()).toEqual(['one', 'picture']);
  expect(story.slice(2)).toEqual(['failed other']);
});

it('renders for accounts in turn, even if one of them has six renders queued', async () => {
  const [, , [, speech]] = rows as [(typeof rows)[0], (typeof rows)[0], (typeof rows)[0]];
  const story: string[] = [];
  const told = async (name: string, owner: string) => {
    await renderer.render({ ...speech, text: name } as RenderRequest, join(folder, name), { owner });
    story.push(name);
  };
  const many = Array.from({ length: 6 }, (_, at) => told(`hers ${at}`, 'ana'));
  await Promise.all([...many, told('his', 'ben')]);
  expect(story.indexOf('his')).toBeLessThanOrEqual(2);
  expect(story.filter((name) => name !== 'his')).toEqual(Array.from({ length: 6 }, (_, at) => `hers ${at}`));
});

it('renders six later speeches before a long song, and then the song', async () => {
  const [, , speech, song] = rows.map(([, request]) => request) as RenderRequest[];
  const story: string[] = [];
  const told = async (name: string, request: RenderRequest | undefined) => {
    await renderer.render({ ...request } as RenderRequest, join(folder, name));
    story.push(name);
  };
  const first = told('first', speech);
  // A song without a style fails as soon as its turn comes.
  const failing = { ...song, seconds: 240, style: null } as unknown as RenderRequest;
  const begun = renderer.render(failing, join(folder, 'long')).catch(() => story.push('long'));
  const later = Array.from({ length: 8 }, (_, at) => told(`${at}`, { ...speech, text: `${at}` } as RenderRequest));
  await Promise.all([first, begun, ...later, told('short', song)]);
  expect(story).toEqual(['first', '0', '1', '2', '3', '4', '5', 'long', '6', '7', 'short']);
});

it('renders no image before a speech that was ordered earlier', async () => {
  const [picture, , speech] = rows.map(([, request]) => request) as RenderRequest[];
  const story: string[] = [];
  const told = async (name: string, request: RenderRequest | undefined, seed = 0) => {
    await renderer.render({ ...request, seed } as RenderRequest, join(folder, name));
    story.push(name);
  };
  const older = [told('first', picture, 1), told('second', picture, 2), told('third', picture, 3)];
  await Promise.all([...older, told('speech', speech), told('fourth', picture, 4)]);
  // Two pictures overlap in one worker, so the older ones may end in any order.
  expect([story.slice(0, 3).toSorted(), story.slice(3)]).toEqual([
    ['first', 'second', 'third'],
    ['speech', 'fourth'],
  ]);
});

it('cancels an image that waits for another one without leaving a file, and finishes the other one', async () => {
  const [, picture] = rows[0] as [string, RenderRequest];
  const controller = new AbortController();
  const first = renderer.render(picture, join(folder, 'stays'));
  const second = renderer.render({ ...picture, seed: 8 } as RenderRequest, join(folder, 'goes'), {
    signal: controller.signal,
  });
  controller.abort(new Error('changed my mind'));
  await expect(second).rejects.toThrow('changed my mind');
  const { bytes } = await first;
  expect(readFileSync(join(folder, 'stays')).length).toBe(bytes);
  expect(readdirSync(folder)).not.toContain('goes');
});

it('treats two renders as equal if their given files have the same contents, whatever the paths of the files', () => {
  const [, clip] = rows[1] as [string, RenderRequest];
  const begun = (path: string, sha256: string) =>
    renderer.fingerprint({ ...clip, firstFrame: { path, sha256 } } as RenderRequest);
  expect(begun('/a', 'x')).toBe(begun('/b', 'x'));
  expect(begun('/a', 'x')).not.toBe(begun('/a', 'y'));
  expect(renderer.fingerprint(clip)).toMatch(/^[0-9a-f]{64}$/);
});
