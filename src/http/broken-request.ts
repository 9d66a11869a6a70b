import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { EmulatorError, invalid } from '../errors.ts';
import { printError } from './error-printer.ts';

/** Answers what Node cannot read as HTTP, in the shape of every other error, and closes the connection. */
export function answerBrokenRequest(error: Error, socket: Duplex, requestId: string): void {
  // An answer that has begun cannot be replaced; a connection that is gone hears nothing.
  const open = socket as Duplex & { _httpMessage?: { headersSent: boolean } };
  if (!socket.writable || open._httpMessage?.headersSent) {
    socket.destroy(error);
    return;
  }
  const { status, body } = printError(faultOf(error));
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `x-request-id: ${requestId}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`, () => socket.destroy());
}

function faultOf(error: Error): EmulatorError {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'HPE_HEADER_OVERFLOW') return invalid(null, 'The headers are over 16 KiB; send fewer or shorter ones.');
  if (code === 'HPE_INVALID_EOF_STATE') return invalid(null, 'The body ended before it was whole; send all of it.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new EmulatorError(
      'timeout',
      'The head of the request was not whole within 60 s; send all of its headers at once.',
    );
  return invalid(null, `The request is not valid HTTP/1.1 (${error.message.slice(0, 100)}).`);
}
