import { expect, it } from 'vitest';
import { type Notice, Notices } from '../../src/engine/journal/notices.ts';

const JOB: Notice = { kind: 'job', id: 'job_1', accountId: 'acct_1' };
const forever = () => new AbortController().signal;

it('checks the condition of a wait again only after a change [I137]', async () => {
  const notices = new Notices();
  const seen: (Notice | undefined)[] = [];
  const waiting = notices.until((notice) => {
    seen.push(notice);
    return notice?.id === 'job_2' ? notice.id : undefined;
  }, forever());
  notices.publish(JOB);
  expect([notices.waiting, seen]).toEqual([1, [undefined, JOB]]);
  const second = { ...JOB, id: 'job_2' };
  notices.publish(second);
  notices.publish(JOB);
  expect(await waiting).toBe('job_2');
  expect([notices.waiting, seen]).toEqual([0, [undefined, JOB, second]]);
});

it('ends a wait if its signal aborts, even before it starts [I137]', async () => {
  const notices = new Notices();
  const gone = new AbortController();
  const waiting = notices.until(() => undefined, gone.signal);
  expect(notices.waiting).toBe(1);
  gone.abort(new Error('hung up'));
  await expect(waiting).rejects.toThrow('hung up');
  await expect(notices.until(() => undefined, gone.signal)).rejects.toThrow('hung up');
  expect(notices.waiting).toBe(0);
});

it('does not let a wait whose condition throws affect other waits [I137]', async () => {
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
