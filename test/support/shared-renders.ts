import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { VirtualClock } from '../../src/base/clock/virtual-clock.ts';
import { EmulatorError } from '../../src/base/errors.ts';
import { RememberedRenders } from '../../src/media/remembered-renders.ts';
import type { Renderer } from '../../src/media/render-request.ts';
import { createRenderer } from '../../src/media/worker-renderer.ts';

const pool: { renderer?: Renderer } = {};

/** The threads of this process, which stay warm from one emulator to the next. */
function threads(): Renderer {
  pool.renderer ??= createRenderer({
    clock: new VirtualClock(),
    scratchFolder: mkdtempSync(path.join(tmpdir(), 'renders-')),
  });
  return pool.renderer;
}

/** The emulators that tests start in this process render in the same threads, and what has one fingerprint once. */
class SharedRenders extends RememberedRenders {
  override around(own: Renderer): Renderer {
    const running = new Set<Promise<unknown>>();
    let open = new AbortController();
    const mine: Renderer = {
      version: own.version,
      fingerprint: (request) => own.fingerprint(request),
      async render(request, target, options = {}) {
        const signals = [open.signal, options.signal].filter((each) => each !== undefined);
        const made = threads().render(request, target, { ...options, signal: AbortSignal.any(signals) });
        running.add(made);
        return made.finally(() => running.delete(made));
      },
      warm: () => threads().warm(),
      interrupt(reason) {
        open.abort(reason);
        open = new AbortController();
      },
      async close() {
        open.abort(new EmulatorError('render_failed', 'The emulator is stopping; no render can run now.'));
        await Promise.allSettled(running);
      },
    };
    return super.around(mine);
  }
}

/** For every emulator whose test is not about rendering itself: that the same request gives the same bytes is not asked again. */
export const sharedRenders: RememberedRenders = new SharedRenders();
