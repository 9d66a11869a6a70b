import { cutPicture } from './cut-picture.ts';
import { type Actor, type Answer, actOnBody, isJson, type Json } from './violation.ts';

function eachOf(body: Json, change: (item: Json) => Json | undefined): Json | undefined {
  if (!Array.isArray(body.data)) return change(body);
  const data = body.data.map((item) => (isJson(item) ? (change(item) ?? item) : item));
  const isSame = data.every((item, at) => item === (body.data as unknown[])[at]);
  return isSame ? undefined : { ...body, data };
}

function smaller(item: Json): Json | undefined {
  if (typeof item.b64_json !== 'string') return undefined;
  const cut = cutPicture(Buffer.from(item.b64_json, 'base64'));
  return cut && { ...item, b64_json: cut.toString('base64') };
}

function contentOf({ choices }: Json): string {
  const [choice] = choices as { delta: { content?: string } }[];
  return choice?.delta.content ?? '';
}

export const PAGE = '<!doctype html>\n<title>502 Bad Gateway</title>\n<h1>502 Bad Gateway</h1>\n';

function asPage(answer: Answer): Answer {
  const { body: _body, bytes: _bytes, ...rest } = answer;
  return { ...rest, body: undefined, text: PAGE, headers: { ...answer.headers, 'content-type': 'text/html' } };
}

/** Violations of downloads are in `file-violations.ts`. */
export const CONTENT: Readonly<Record<string, Actor>> = {
  'file.cut': {
    answer: (answer) =>
      answer.bytes ? { ...answer, bytes: answer.bytes.subarray(0, Math.ceil(answer.bytes.length / 2)) } : undefined,
  },
  'file.page': { answer: (answer) => (answer.bytes ? asPage(answer) : undefined) },
  'file.small': actOnBody((body) => eachOf(body, smaller)),
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
