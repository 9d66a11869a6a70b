import { expect, it } from 'vitest';
import { pause } from '../../../src/base/clock/clock.ts';
import { VirtualClock } from '../../../src/base/clock/virtual-clock.ts';
import { lookUntil } from '../../support/look-until.ts';
import { runToEnd } from '../spawned-program.ts';
import { hungProof, leftBy, TOKEN } from './ended-proof.ts';

it.runIf(process.platform === 'linux')(
  'stops a proof inside a Git hook with all its processes at SIGTERM',
  async () => {
    const { folder, program, isThere } = hungProof('a hook of Git');
    await lookUntil(isThere);
    expect(await program.stop('SIGTERM')).toBe(143);
    expect(leftBy(folder)).toEqual([]);
  },
);

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'] as const;
/** From before the work tree is made until the run on the commit has ended and the one in the folder goes on. */
const MOMENTS = Array.from({ length: 10 }, (_, at) => 150 + at * 600);

it.runIf(process.platform === 'linux').each(SIGNALS.flatMap((signal) => MOMENTS.map((ms) => [signal, ms] as const)))(
  'leaves no process and no work tree if a proof receives %s after %i ms',
  async (signal, ms) => {
    const { folder, program } = hungProof('the run here');
    await pause(new VirtualClock(), ms);
    const began = performance.now();
    await program.stop(signal);
    if (signal === 'SIGKILL') {
      await lookUntil(() => leftBy(folder).every((left) => !/^\d+ /.test(left)));
      await runToEnd(['check', '--prove', TOKEN, '--base', 'HEAD', '--', 'false'], {}, folder);
    } else expect(performance.now() - began).toBeLessThan(15_000);
    expect(leftBy(folder)).toEqual([]);
  },
  120_000,
);
