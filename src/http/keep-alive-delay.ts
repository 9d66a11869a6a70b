import type { Clock } from '../clock/clock.ts';
import type { Finish } from './send.ts';

/** How long what is left of a body is read, in milliseconds of real time. */
const GRACE_MS = 2_000;

/**
 * The answer to a request whose body is still being sent, and is not wanted: it goes out at once, and the rest is read
 * and thrown away before the connection closes, for a client that is cut off while it sends sees no answer [I209].
 */
export function lingering(clock: Pick<Clock, 'after'>): Finish {
  return (response, text, encoding) => {
    const { req: request } = response;
    response.write(text, encoding);
    const end = () => {
      cancel();
      response.end();
    };
    const cancel = clock.after(GRACE_MS, end, end);
    request.once('end', end);
    request.once('close', end);
    request.resume();
  };
}
