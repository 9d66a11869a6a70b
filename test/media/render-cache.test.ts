import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { VirtualClock } from '../../src/base/clock/virtual-clock.ts';
import { stateReplacedError } from '../../src/base/errors.ts';
import { RenderCache } from '../../src/media/render-cache.ts';
import type { Renderer, RenderRequest } from '../../src/media/render-request.ts';
import { WorkerRenderer } from '../../src/media/worker-renderer.ts';
import { emptyFolder } from '../cli/spawned-program.ts';

const folder = emptyFolder();
const renders = new RenderCache();
const made: string[] = [];

/** The renderer of one emulator. It records what it renders itself. */
function emulator(name: string): Renderer {
  const own = new WorkerRenderer({ clock: new VirtualClock(), workers: 2, scratchFolder: folder });
  return renders.around({
    version: own.version,
    fingerprint: (request) => own.fingerprint(request),
    render(request, target, options) {
      made.push(name);
      return own.render(request, target, options);
    },
    warm: () => own.warm(),
    interrupt: (reason) => own.interrupt(reason),
    close: () => own.close(),
  });
}

const [first, second] = [emulator('first'), emulator('second')];
afterAll(async () => {
  await Promise.all([first.close(), second.close()]);
  await renders.close();
});

const speech = (text: string): RenderRequest => ({ kind: 'speech', model: 'svc-voice-one', text, voice: 'aria' });
const file = (name: string) => path.join(folder, name);

it('renders a file once for two emulators of a process that request it at the same time', async () => {
  const request = speech('The tide comes in.');
  const [one, other] = await Promise.all([first.render(request, file('a')), second.render(request, file('b'))]);
  expect(one).toEqual(other);
  expect(readFileSync(file('a')).equals(readFileSync(file('b')))).toBe(true);
  expect(made.splice(0)).toEqual(['first']);
});

it('ends a wait for the render of another emulator if the waiting emulator is reset, but does not end that render', async () => {
  const request = speech('The tide goes out.');
  const making = first.render(request, file('c'));
  const waiting = second.render(request, file('d'));
  const refused = expect(waiting).rejects.toMatchObject({ code: 'render_failed' });
  await nextTurn();
  second.interrupt(stateReplacedError());
  await refused;
  expect((await making).bytes).toBe(readFileSync(file('c')).length);
  expect(made.splice(0)).toEqual(['first']);
});

it('renders a file for a waiting emulator if the other emulator, which was rendering the same file, is reset', async () => {
  const request = speech('The tide turns.');
  const refused = expect(first.render(request, file('e'))).rejects.toMatchObject({ code: 'render_failed' });
  const waiting = second.render(request, file('f'));
  await nextTurn();
  first.interrupt(stateReplacedError());
  await refused;
  expect((await waiting).bytes).toBe(readFileSync(file('f')).length);
  expect(made.splice(0)).toEqual(['first', 'second']);
});
