import { expect, it } from 'vitest';
import { VirtualClock } from '../../../src/base/clock/virtual-clock.ts';
import { ShellProcess } from '../../../src/check/runner/shell-process.ts';
import { tailWithoutPartialSecret } from '../../../src/control/mask/mask.ts';
import { isRunning } from '../../cli/spawned-program.ts';

it.runIf(process.platform === 'linux')(
  'ends a run whose command leaves a detached process with open output, stops that process, and names it',
  async () => {
    const detached = "require('child_process').spawn('sleep',['1000'],{detached:true,stdio:'inherit'})";
    const command = `"${process.execPath}" -e "const c=${detached};console.log(c.pid);c.unref()"`;
    const running = new ShellProcess(command, { env: process.env });
    const end = await running.end(new VirtualClock(), undefined);

    const pid = Number(running.stdout);
    expect(end).toMatchObject({ code: 0, left: [{ pid, command: 'sleep 1000' }] });
    await expect.poll(() => isRunning(pid)).toBe(false);
  },
);

it.runIf(process.platform === 'linux')(
  'stops and names processes that a command leaves in its process group',
  async () => {
    // Until it runs another program, a new process has the command of its shell.
    const command = 'sleep 1001 & until [ "$(cat /proc/$!/comm)" = sleep ]; do :; done; echo $!';
    const running = new ShellProcess(command, { env: process.env });
    const { left } = await running.end(new VirtualClock(), undefined);

    const pid = Number(running.stdout);
    expect(left).toEqual([{ pid, command: 'sleep 1001' }]);
    await expect.poll(() => isRunning(pid)).toBe(false);
  },
);

it('keeps the end of a long output without the rest of a cut line', () => {
  expect(tailWithoutPartialSecret('secret-in-one-line\nrest', 10)).toBe('rest');
  expect(tailWithoutPartialSecret(`${'a'.repeat(20_000)}b`, 10_000)).toHaveLength(10_000 - 8192);
  expect(tailWithoutPartialSecret('short', 10)).toBe('short');
});
