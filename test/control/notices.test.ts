import { expect, it } from 'vitest';
import { type ChangeNotice, Notices } from '../../src/engine/journal/notices.ts';

const JOB: ChangeNotice = { kind: 'job', id: 'job_1', accountId: 'acct_1' };
const forever = () => new AbortController().signal;

it('ends a wait whose check throws an error with that error, and still completes another wait [I137]', async () => {
  const notices = new Notices();
  const broken = notices.until((notice) => {
    if (notice) throw new Error('gone');
    return undefined;
  }, forever());
  const sound = notices.until((notice) => notice?.id, forever());
  notices.publish(JOB);
  await expect(broken).rejects.toThrow('gone');
  expect(await sound).toBe('job_1');
  expect(notices.waiting).toBe(0);
});
