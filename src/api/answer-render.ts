import { unixSeconds } from '../clock/clock.ts';
import type { Paid } from '../generation/order.ts';
import type { AwaitedRender } from '../generation/rendered-work.ts';
import type { Context } from '../http/context.ts';
import { WithBase64 } from '../http/send.ts';
import type { FinishedFile } from '../jobs/job.ts';

type Reading = Context;

/** The answer of a call that waited for its render: its URL or its bytes, and the fields of `more`. */
export async function answerRender<More extends object>(
  context: Reading,
  { result: { job, file, url }, usage }: Paid<AwaitedRender>,
  { asUrl, more }: { asUrl: boolean; more: More },
) {
  const created = unixSeconds(job.created);
  const { model } = job;
  const answer = <Item>(item: Item) => ({ created, model, data: [{ ...item, ...more }], usage });
  if (asUrl) return answer({ url });
  return new WithBase64(answer({ b64_json: '' }), await readBase64(context, file));
}

/** Files up to this many bytes are read at once, from the page cache: quicker than three trips to another thread. */
const SMALL = 1_048_576;

/** The bytes of a finished render, as JSON answers carry them; made again where the disk had no room for them. */
async function readBase64({ served }: Reading, { file, bytes }: FinishedFile): Promise<string> {
  const small = bytes <= SMALL ? served.readNow(file, 0, bytes) : undefined;
  return (small ?? (await served.read(file))).toString('base64');
}
