import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { requestContextOf } from './request.ts';
import { Reply, sendOther, sendText, setHead } from './send.ts';

/** A stream of bytes of a media type, read at the client's pace. */
export class Download extends Reply {
  readonly body: Readable;
  readonly #contentType: string;
  readonly #name: string | undefined;

  /** `name`: the file name that a client is offered; undefined for what is to be shown. */
  constructor(body: Readable, contentType: string, name?: string) {
    super();
    this.body = body;
    this.#contentType = contentType;
    this.#name = name;
  }

  async sendTo(response: ServerResponse): Promise<void> {
    setHead(response, 200);
    response.setHeader('content-type', this.#contentType);
    if (this.#name) response.setHeader('content-disposition', `attachment; filename="${this.#name}"`);
    // A client that hangs up ends it; there is nothing to answer.
    await pipeline(this.body, response).catch(() => response.destroy());
  }
}

/** Bytes of a media type. */
export class Bytes extends Reply {
  readonly body: Buffer;
  readonly contentType: string;

  constructor(body: Buffer, contentType: string) {
    super();
    this.body = body;
    this.contentType = contentType;
  }

  sendTo(response: ServerResponse, status: number): void {
    const { body: bytes, contentType } = this;
    const reply = requestContextOf(response).change?.answered({ status, contentType, bytes });
    if (reply) {
      sendOther(response, reply);
      return;
    }
    setHead(response, status);
    response.setHeader('content-type', contentType);
    response.setHeader('content-length', bytes.length);
    response.end(this.body);
  }
}

/** A JSON answer of 202: the work has started. */
export class Accepted extends Reply {
  readonly body: object;

  constructor(body: object) {
    super();
    this.body = body;
  }

  sendTo(response: ServerResponse): void {
    sendText(response, JSON.stringify(this.body), 202);
  }
}
