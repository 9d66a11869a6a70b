import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Cancel, Clock } from '../clock/clock.ts';
import { EmulatorError } from '../errors.ts';

/** A body that is being sent has to grow by this many bytes in this many milliseconds of real time. */
const LEAST_BYTES = 1024;
const WINDOW_MS = 60_000;

/** A socket as Node keeps it: with the answer to its current request. */
type HttpSocket = Socket & { _httpMessage?: ServerResponse | null };

/**
 * Refuses bodies that drip. It looks at the open connections once a window, so that requests pay nothing for it, and has
 * no timer while there is no connection.
 */
export class SlowBodies {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #sockets = new Set<HttpSocket>();
  /** What the connections of unfinished bodies had read at the last sweep. */
  #read = new Map<ServerResponse, number>();
  #cancel: Cancel | undefined;

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  watch(server: Server): void {
    server.on('connection', (socket: HttpSocket) => {
      this.#sockets.add(socket);
      this.#schedule();
      socket.once('close', () => {
        this.#sockets.delete(socket);
        if (this.#sockets.size === 0) this.#stop();
      });
    });
  }

  /** Answers 408 to each request whose body grew too little since the last sweep, and closes its connection. */
  sweep(): void {
    const before = this.#read;
    this.#read = new Map();
    for (const socket of this.#sockets) {
      const response = socket._httpMessage;
      if (!response || !isAwaited(response.req)) continue;
      const read = before.get(response);
      if (read !== undefined && socket.bytesRead - read < LEAST_BYTES) refuse(response);
      else this.#read.set(response, socket.bytesRead);
    }
  }

  #schedule(): void {
    this.#cancel ??= this.#clock.after(
      WINDOW_MS,
      () => {
        this.#cancel = undefined;
        this.sweep();
        if (this.#sockets.size > 0) this.#schedule();
      },
      () => {
        this.#cancel = undefined;
      },
    );
  }

  #stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#read.clear();
  }
}

/** Whether all that has arrived of a body is read, and more is waited for. Where the emulator is behind, the client is not slow. */
function isAwaited(request: IncomingMessage): boolean {
  if (request.complete || request.readableLength > 0) return false;
  return request.readableFlowing === true || request.readableDidRead;
}

/** The reader of the body gets the error, and answers it. */
function refuse({ req: request, headersSent }: ServerResponse): void {
  if (headersSent || request.listenerCount('error') === 0) request.destroy();
  else request.emit('error', dripped());
}

function dripped(): EmulatorError {
  return new EmulatorError(
    'timeout',
    'The body grew by less than 1 KB in 60 s; send it without pauses, or hang up and send it again.',
    { headers: { connection: 'close' } },
  );
}
