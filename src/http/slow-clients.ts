import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Cancel, Clock } from '../clock/clock.ts';
import { EmulatorError } from '../errors.ts';

/** A body that is being sent has to grow by this many bytes in this many milliseconds of real time. */
const LEAST_BYTES = 1024;
const WINDOW_MS = 60_000;

/** An answer that waits for its client is given up after so many windows in which none of it was taken. */
const IDLE_WINDOWS = 5;

/** A socket as Node keeps it: with the answer to its current request. */
type HttpSocket = Socket & { _httpMessage?: ServerResponse | null };

/** How much of an answer had been taken when it was last seen to grow, in bytes, and how many windows ago that is. */
interface Taken {
  bytes: number;
  windows: number;
}

/**
 * Refuses bodies that drip, and closes connections whose clients do not read: each holds a file and a piece of it in memory.
 * It looks at the open connections once a window, so that requests pay nothing for it, and has no timer while there is no
 * connection.
 */
export class SlowClients {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #sockets = new Set<HttpSocket>();
  /** What the connections of unfinished bodies had read at the last sweep. */
  #read = new Map<ServerResponse, number>();
  /** The connections that wait for their client. */
  #taken = new Map<HttpSocket, Taken>();
  #cancel: Cancel | undefined;

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  watch(server: Server): void {
    // Of https what is read and written is that of the secured socket, and so is the answer to its request.
    server.on('setSecureContext' in server ? 'secureConnection' : 'connection', (socket: HttpSocket) => {
      this.#sockets.add(socket);
      this.#schedule();
      socket.once('close', () => {
        this.#sockets.delete(socket);
        if (this.#sockets.size === 0) this.#stop();
      });
    });
  }

  /** Answers 408 to each request whose body grew too little since the last sweep, and closes what its client does not read. */
  sweep(): void {
    const [read, taken] = [this.#read, this.#taken];
    this.#read = new Map();
    this.#taken = new Map();
    for (const socket of this.#sockets) {
      this.#lookAtBody(socket, read);
      this.#lookAtAnswer(socket, taken.get(socket));
    }
  }

  #lookAtBody(socket: HttpSocket, before: ReadonlyMap<ServerResponse, number>): void {
    const response = socket._httpMessage;
    if (!response || !isAwaited(response.req)) return;
    const read = before.get(response);
    if (read !== undefined && socket.bytesRead - read < LEAST_BYTES) refuse(response);
    else this.#read.set(response, socket.bytesRead);
  }

  #lookAtAnswer(socket: HttpSocket, before: Taken | undefined): void {
    if (socket.writableLength === 0) return;
    const bytes = socket.bytesWritten;
    const windows = before?.bytes === bytes ? before.windows + 1 : 0;
    if (windows >= IDLE_WINDOWS) socket.destroy();
    else this.#taken.set(socket, { bytes, windows });
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
    this.#taken.clear();
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
    { headers: { connection: 'close' }, choice: 'C030' },
  );
}
