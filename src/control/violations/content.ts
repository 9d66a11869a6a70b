import { firstHalf } from '../../engine/faults/applied-fault.ts';
import { type Actor, type Answer, isJson, type Json, onBody } from './violation.ts';

const SIGNATURE = 8;
/** Samples of a pixel by the colour type of a PNG. */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

interface Chunk {
  type: string;
  data: Buffer;
}

/** The same picture with every second pixel of every second row; undefined for what is no PNG of eight bits. */
export function quarterPicture(png: Buffer): Buffer | undefined {
  const chunks = chunksOf(png);
  const header = chunks.find(({ type }) => type === 'IHDR')?.data;
  const samples = SAMPLES[header?.[9] ?? -1];
  if (header?.[8] !== 8 || header[12] !== 0 || samples === undefined) return undefined;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const packed = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
  const zlib = process.getBuiltinModule('node:zlib');
  const rows = unfiltered(zlib.inflateSync(packed), { width: width * samples, height, samples });
  const small = Buffer.from(header);
  small.writeUInt32BE(Math.ceil(width / 2), 0);
  small.writeUInt32BE(Math.ceil(height / 2), 4);
  const kept = rows.filter((_, y) => y % 2 === 0).map((row) => halfRow(row, samples));
  const others = chunks
    .filter(({ type }) => type === 'PLTE' || type === 'tRNS')
    .map(({ type, data }) => chunk(type, data));
  const body = [
    chunk('IHDR', small),
    ...others,
    chunk('IDAT', zlib.deflateSync(Buffer.concat(kept))),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([png.subarray(0, SIGNATURE), ...body]);
}

function chunksOf(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE; at + 12 <= png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

/** The rows as they were before they were filtered: each byte was written as a difference from what is near it. */
function unfiltered(
  raw: Buffer,
  { width, height, samples }: { width: number; height: number; samples: number },
): Buffer[] {
  const rows: Buffer[] = [];
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (width + 1)];
    const row = Buffer.from(raw.subarray(y * (width + 1) + 1, (y + 1) * (width + 1)));
    const above = rows[y - 1];
    for (let x = 0; x < width; x += 1) {
      const left = x < samples ? 0 : (row[x - samples] ?? 0);
      const corner = x < samples ? 0 : (above?.[x - samples] ?? 0);
      row[x] = (row[x] ?? 0) + predicted(filter, { left, up: above?.[x] ?? 0, corner });
    }
    rows.push(row);
  }
  return rows;
}

function predicted(
  filter: number | undefined,
  { left, up, corner }: { left: number; up: number; corner: number },
): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  if (filter !== 4) return 0;
  const [a, b, c] = [left, up, corner].map((each) => Math.abs(left + up - corner - each)) as [number, number, number];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

function halfRow(row: Buffer, samples: number): Buffer {
  const width = row.length / samples;
  const pixels = Array.from({ length: Math.ceil(width / 2) }, (_, x) =>
    row.subarray(2 * x * samples, (2 * x + 1) * samples),
  );
  return Buffer.concat([Buffer.of(0), ...pixels]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(process.getBuiltinModule('node:zlib').crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** Every object of a list, or the one that the answer is. */
function eachOf(body: Json, change: (item: Json) => Json | undefined): Json | undefined {
  if (!Array.isArray(body.data)) return change(body);
  const data = body.data.map((item) => (isJson(item) ? (change(item) ?? item) : item));
  const isSame = data.every((item, at) => item === (body.data as unknown[])[at]);
  return isSame ? undefined : { ...body, data };
}

function lengthAsAsked(job: Json): Json | undefined {
  const { duration, seconds } = job;
  if (typeof duration !== 'number' || typeof seconds !== 'number' || duration === seconds) return undefined;
  return { ...job, duration: seconds };
}

const cutBase64 = onBody((body) =>
  eachOf(body, (item) => {
    const { b64_json: text } = item;
    return typeof text === 'string' && text.length > 8
      ? { ...item, b64_json: text.slice(0, 4 * (text.length >> 3)) }
      : undefined;
  }),
);

function smaller(item: Json): Json | undefined {
  if (typeof item.b64_json !== 'string') return undefined;
  const cut = quarterPicture(Buffer.from(item.b64_json, 'base64'));
  return cut && { ...item, b64_json: cut.toString('base64') };
}

/** The same lines in another order, or one line more. */
function otherLyrics(lyrics: string): string {
  const lines = lyrics.split('\n');
  const turned = lines.toReversed().join('\n');
  return turned === lyrics ? `${lyrics}\nAnother line` : turned;
}

const lyricsOther = onBody((body, { operation }) => {
  if (operation !== 'createSong' && operation !== 'getSong') return undefined;
  const cut = (value: Json): Json | undefined =>
    typeof value.lyrics === 'string' ? { ...value, lyrics: otherLyrics(value.lyrics) } : undefined;
  const own = cut(body);
  return own && Array.isArray(own.data) ? (eachOf(own, cut) ?? own) : own;
});

const modelOther: Actor = onBody((body, { operation, models }) => {
  if (operation !== 'createChatCompletion' && operation !== 'createVideo' && operation !== 'getVideo') return undefined;
  const kind = models().find(({ id }) => id === body.model)?.kind;
  const other = models().find((each) => each.kind === kind && each.id !== body.model);
  return kind !== undefined && other ? { ...body, model: other.id } : undefined;
});

const FIRST = 0;

/** A violation about the text of a reply, whole or streamed. */
function onReply(
  whole: (content: string) => { content: string; finish_reason?: 'stop' } | undefined,
  streamed: (deltas: readonly string[]) => readonly string[] | undefined,
): Actor {
  return {
    ...onBody((body, { operation }) => {
      if (operation !== 'createChatCompletion' || !Array.isArray(body.choices)) return undefined;
      const choice = body.choices[FIRST] as { message: { content: string } };
      const cut = whole(choice.message.content);
      if (!cut) return undefined;
      const { content, ...rest } = cut;
      return { ...body, choices: [{ ...choice, message: { ...choice.message, content }, ...rest }] };
    }),
    stream(chunks) {
      const spoken = chunks.filter((chunk) => contentOf(chunk));
      const cut = streamed(spoken.map(contentOf));
      const [first] = spoken;
      if (!cut || !first) return undefined;
      const begin = chunks.indexOf(first);
      const end = chunks.filter((chunk, at) => at > begin && !contentOf(chunk));
      return [...chunks.slice(0, begin), ...cut.map((content) => withContent(first, content)), ...asStop(end)];
    },
  };
}

function contentOf({ choices }: Json): string {
  const [choice] = choices as { delta: { content?: string } }[];
  return choice?.delta.content ?? '';
}

function withContent(chunk: Json, content: string): Json {
  const [choice] = chunk.choices as Json[];
  return { ...chunk, choices: [{ ...choice, delta: { content } }] };
}

/** The last chunk says why the reply ended: as always, by itself. */
function asStop(chunks: readonly Json[]): Json[] {
  return chunks.map((chunk) => {
    const [choice] = chunk.choices as Json[];
    return choice?.finish_reason ? { ...chunk, choices: [{ ...choice, finish_reason: 'stop' }] } : chunk;
  });
}

const MARKUP = '<script>alert(1)</script>';

/** The page of a proxy in place of a file or an error. */
export const PAGE = '<!doctype html>\n<title>502 Bad Gateway</title>\n<h1>502 Bad Gateway</h1>\n';

export function asPage(answer: Answer): Answer {
  const { body: _body, bytes: _bytes, ...rest } = answer;
  return { ...rest, body: undefined, text: PAGE, headers: { ...answer.headers, 'content-type': 'text/html' } };
}

/** The violations of the family content that act on answers; those about files are in `cdn/violated-file.ts`. */
export const CONTENT: Readonly<Record<string, Actor>> = {
  'file.cut': {
    answer: (answer) =>
      answer.bytes ? { ...answer, bytes: answer.bytes.subarray(0, Math.ceil(answer.bytes.length / 2)) } : undefined,
  },
  'file.page': { answer: (answer) => (answer.bytes ? asPage(answer) : undefined) },
  'file.small': onBody((body) => eachOf(body, smaller)),
  'duration.asked': onBody((body) => eachOf(body, lengthAsAsked)),
  'bytes.wrong': onBody((body) =>
    eachOf(body, (item) => (typeof item.bytes === 'number' ? { ...item, bytes: item.bytes + 1 } : undefined)),
  ),
  'b64.cut': cutBase64,
  'lyrics.other': lyricsOther,
  'model.other': modelOther,
  'chat.empty': onReply(
    (content) => (content ? { content: '' } : undefined),
    (deltas) => (deltas.length > 0 ? [] : undefined),
  ),
  'chat.cut_as_stop': onReply(
    (content) => ([...content].length > 1 ? { content: firstHalf(content), finish_reason: 'stop' } : undefined),
    (deltas) => (deltas.length > 1 ? deltas.slice(0, Math.ceil(deltas.length / 2)) : undefined),
  ),
  'chat.markup': onReply(
    (content) => ({ content: content + MARKUP }),
    (deltas) => (deltas.length > 0 ? [...deltas.slice(0, -1), deltas.at(-1) + MARKUP] : undefined),
  ),
  'stream.delta_twice': {
    stream(chunks) {
      const spoken = chunks.filter((chunk) => contentOf(chunk));
      const middle = spoken[Math.floor(spoken.length / 2)];
      return middle && chunks.flatMap((chunk) => (chunk === middle ? [chunk, chunk] : [chunk]));
    },
  },
  'stream.no_usage': {
    stream(chunks) {
      const last = chunks.at(-1);
      if (!last || !('usage' in last)) return undefined;
      const { usage: _usage, ...rest } = last;
      return [...chunks.slice(0, -1), rest];
    },
  },
};
