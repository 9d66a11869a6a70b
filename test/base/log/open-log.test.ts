import { expect, it } from 'vitest';
import type { Config } from '../../../src/base/config/config.ts';
import { openLog } from '../../../src/base/log.ts';

const NOON = Date.UTC(2026, 0, 2, 12, 0, 5);

async function linesOf(form: Config['log']): Promise<string[]> {
  const lines: string[] = [];
  const log = await openLog(form, () => NOON, { write: (line) => lines.push(line) });
  log.info({ path: '/v1/models', status: 200 }, 'answered');
  log.error({ request_id: 'req_1', error: new Error('it broke') }, 'a bug');
  return lines;
}

it('prints a short line for people with --log pretty, and the stack of a bug [I159]', async () => {
  const [first, second] = await linesOf('pretty');
  expect(first).toBe('12:00:05 answered path=/v1/models status=200\n');
  expect(second).toMatch(/^12:00:05 error a bug request_id=req_1 error=Error: it broke\n +at /);
});

it('prints one JSON object per line with --log json [I159]', async () => {
  const [first, second] = (await linesOf('json')).map((line) => JSON.parse(line));
  expect(first).toMatchObject({ level: 30, path: '/v1/models', status: 200, msg: 'answered' });
  expect(second).toMatchObject({ level: 50, request_id: 'req_1', error: { message: 'it broke' } });
});

it('prints nothing with --log silent [I159]', async () => {
  expect(await linesOf('silent')).toEqual([]);
});
