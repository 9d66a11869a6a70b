import { expect, it } from 'vitest';
import { VirtualClock } from '../../src/clock/virtual-clock.ts';
import { AppProcess } from '../../src/explore/app-process.ts';
import { FreePorts } from '../../src/explore/free-ports.ts';
import { PrintedLines } from '../../src/explore/printed-lines.ts';

it('ends an app that does not get ready, and tells what it printed', async () => {
  const clock = new VirtualClock();
  let now = 0;
  // Each look at the time is half a second later: the app has as long as it would have, told in fewer looks.
  clock.real = () => {
    now += 500;
    return now;
  };
  const port = await new FreePorts().next();
  const app = new AppProcess({
    command: `echo 'looking for the database' >&2; exec sleep 60`,
    ...{ ready: `http://127.0.0.1:${port}/ready`, port, env: process.env, clock, printed: new PrintedLines(clock) },
  });
  const fault = await app.start().catch((error: unknown) => error);
  expect(fault).toMatchObject({ exitCode: 2 });
  expect(String(fault)).toContain('did not get ready within 20 s.');
  expect(app.output).toContain('looking for the database');
});
