import { hash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readUpload } from '../../../src/service/http/upload.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { openServer } from '../../support/answer-errors.ts';
import { untilFolder } from '../../support/folder-changes.ts';

interface Door {
  url: string;
  port: number;
  scratch: string;
  /** Resolves when the next request has been read or refused. */
  done(): Promise<unknown>;
}

/** A server that reads one form a request and answers what it read. */
async function openDoor(options: { fileBytes?: number; scratch?: string } = {}): Promise<Door> {
  const home = emptyFolder();
  const scratch = options.scratch ?? path.join(home, 'scratch');
  if (!options.scratch) mkdirSync(scratch);
  const names = Array.from('abcdefgh');
  const files = { scratchPath: () => path.join(scratch, names.shift() ?? 'more') };
  const { server, port } = await openServer(async (req, res) => {
    try {
      const { file, fields } = await readUpload(req, res, { field: 'file', files, ...options });
      const { scratchPath, sha256, bytes, contentType, originalName } = file;
      const kept = hash('sha256', readFileSync(scratchPath), 'hex') === sha256;
      const told = { sha256, bytes, contentType, originalName, kept, fields };
      await file.discard();
      res.setHeader('content-type', 'application/json');
      res.end(JSON.stringify(told));
    } finally {
      server.emit('read');
    }
  });
  return { url: `http://127.0.0.1:${port}/`, port, scratch, done: () => once(server, 'read') };
}

function form(...parts: [string, string | File][]): FormData {
  const data = new FormData();
  for (const [name, value] of parts) data.append(name, value);
  return data;
}

async function post(door: Door, body: FormData | string, headers: Record<string, string> = {}) {
  const answer = await fetch(door.url, { method: 'POST', body, headers });
  const told = (await answer.json()) as {
    error: { code: string; message: string; param: unknown };
  };
  return { status: answer.status, body: told };
}

const MULTIPART = { 'content-type': 'multipart/form-data; boundary=b' };
const part = (head: string, body: string) => `--b\r\n${head}\r\n\r\n${body}\r\n`;
const filePart = (body: string, type = 'text/plain') =>
  part(`Content-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: ${type}`, body);
const fieldPart = (name: string, body: string) => part(`Content-Disposition: form-data; name="${name}"`, body);
const END = '--b--\r\n';
const IMAGE = filePart('a').replace('"file"', '"image"');
const HUGE = fieldPart('name', 'x'.repeat(65_537)) + filePart('a');
const UNKNOWN = /^Unknown field "image"; send the file as "file"\.$/;

describe('an upload', () => {
  it('hashes an upload while it arrives, with its name, type and fields [R176]', async () => {
    const door = await openDoor();
    const bytes = Buffer.alloc(3_000_000, 'drei');
    const file = new File([bytes], 'größe "x".bin', { type: 'Video/MP4; codecs=avc1' });
    const { status, body } = await post(door, form(['name', 'x'], ['file', file], ['note', 'ü']));
    expect(status).toBe(200);
    expect(body).toEqual({
      sha256: hash('sha256', bytes, 'hex'),
      bytes: 3_000_000,
      contentType: 'video/mp4',
      originalName: 'größe "x".bin',
      kept: true,
      fields: { name: 'x', note: 'ü' },
    });
    expect(readdirSync(door.scratch)).toEqual([]);
  });

  it.each([
    [0, 200],
    [1, 200],
    [1000, 200],
    [1001, 413],
    [2_500_000, 413],
  ])('returns for an upload of %i bytes %i if the limit is 1,000 [R239 I014]', async (size, status) => {
    const door = await openDoor({ fileBytes: 1000 });
    const answer = await post(door, form(['file', new File([Buffer.alloc(size)], 'a.bin')]));
    expect(answer.status).toBe(status);
    if (status === 413) {
      expect(answer.body.error).toMatchObject({ code: 'payload_too_large', param: 'file' });
    }
    expect(readdirSync(door.scratch)).toEqual([]);
  });

  it.each<[string, string, Record<string, string>, number, string | null, RegExp]>([
    ['JSON', '{}', { 'content-type': 'application/json' }, 415, null, /multipart\/form-data/],
    ['no type', '{}', { 'content-type': '' }, 415, null, /multipart\/form-data/],
    ['no boundary', END, { 'content-type': 'multipart/form-data' }, 400, null, /Boundary/],
    ['an empty body', '', MULTIPART, 400, null, /Unexpected end of form/],
    ['no parts', END, MULTIPART, 400, 'file', /missing/],
    ['a cut part', filePart('abc').slice(0, -3), MULTIPART, 400, null, /broken/],
    ['no end', filePart('abc'), MULTIPART, 400, null, /broken/],
    ['a broken part head', `--b\r\nnonsense\r\n\r\nabc\r\n${END}`, MULTIPART, 400, null, /broken/],
    ['another field', IMAGE + END, MULTIPART, 400, 'image', UNKNOWN],
    ['two files', filePart('a') + filePart('b') + END, MULTIPART, 400, null, /one file/],
    ['text in place of the file', fieldPart('file', 'abc') + END, MULTIPART, 400, 'file', /curl/],
    ['a huge field', HUGE + END, MULTIPART, 400, 'name', /64 KiB/],
    ['a part without a name', part('Content-Disposition: form-data', 'x') + END, MULTIPART, 400, null, /plain names/],
    ['too many fields', fieldPart('n', 'x').repeat(33) + END, MULTIPART, 400, null, /32 text fields/],
  ])('rejects an upload with %s, and names the remedy', async (_what, body, headers, status, param, says) => {
    const door = await openDoor();
    const answer = await post(door, body, headers);
    expect(answer.status).toBe(status);
    expect(answer.body.error.param).toBe(param);
    expect(answer.body.error.message).toMatch(says);
    expect(readdirSync(door.scratch)).toEqual([]);
  });

  it('treats an upload with an overlong media type as plain bytes', async () => {
    const door = await openDoor();
    const { body } = await post(door, filePart('abc', `text/${'x'.repeat(100)}`) + END, MULTIPART);
    expect(body).toMatchObject({ contentType: 'application/octet-stream', bytes: 3 });
  });

  it('rejects an upload that declares too large a size before it is sent [I014]', async () => {
    const door = await openDoor();
    const outgoing = request(door.url, {
      method: 'POST',
      headers: { ...MULTIPART, 'content-length': String(200 * 1_048_576) },
    });
    outgoing.on('error', () => undefined);
    outgoing.write(filePart('abc'));
    const [answer] = await once(outgoing, 'response');
    expect(answer.statusCode).toBe(413);
    outgoing.destroy();
  });

  it('leaves no file on disk if the sender of an upload disconnects', async () => {
    const door = await openDoor();
    const done = door.done();
    const socket = connect(door.port, '127.0.0.1');
    socket.write(
      `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${MULTIPART['content-type']}\r\nContent-Length: 9000000\r\n\r\n`,
    );
    socket.write(filePart('x'.repeat(1_000_000)));
    await untilFolder(door.scratch, () => readdirSync(door.scratch).length === 1);
    socket.destroy();
    await done;
    expect(readdirSync(door.scratch)).toEqual([]);
  });

  it.runIf(process.platform === 'linux')(
    'returns 507 for an upload to a read-only folder, and accepts the next one [I170]',
    async () => {
      // Nobody, not even root, may make a file there.
      const door = await openDoor({ scratch: '/sys/kernel' });
      const upload = () => post(door, form(['file', new File(['abc'], 'a.txt')]));
      expect((await upload()).body.error).toMatchObject({ code: 'storage_full', param: null });
      expect((await upload()).status).toBe(507);
    },
  );
});
