import { tryParseJson } from '../../../base/text.ts';
import { WELL_KNOWN_KEY } from './account-and-clock.ts';
import type { RequestRecord } from './records.ts';

export type ServiceCall = Pick<RequestRecord, 'method' | 'path' | 'request'> & {
  form?: { fields: Record<string, string>; file: File | undefined } | undefined;
};

export function firstCallCurlSample(): string {
  const request = '{"model": "svc-rp-mini", "messages": [{"role": "user", "content": "Hello"}]}';
  return formatCurlCommand({ method: 'POST', path: '/v1/chat/completions', request }, true);
}

export function formatCurlCommand({ method, path, request, form }: ServiceCall, isFirst: boolean): string {
  const auth = isFirst ? quoted(`authorization: Bearer ${WELL_KNOWN_KEY}`) : '"authorization: Bearer $SVC_API_KEY"';
  const json = request === null ? [] : [`-H 'content-type: application/json'`, `--data-raw ${quoted(request)}`];
  const body = form ? curlForm(form) : json;
  const isPlain = method === 'GET' || (method === 'POST' && body.length > 0);
  const command = `curl${isPlain ? '' : ` -X ${method}`} ${quoted(window.location.origin + path)}`;
  return [command, `-H ${auth}`, ...body].join(' \\\n  ');
}

function curlForm({ fields, file }: NonNullable<ServiceCall['form']>): string[] {
  const texts = Object.entries(fields).map(([name, value]) => `-F ${quoted(`${name}=${value}`)}`);
  return [`-F ${quoted(`file=@${file?.name ?? 'voice.mp3'}`)}`, ...texts];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

export function formatIndentedJson(json: string, spaces: number): string {
  const value = tryParseJson(json);
  if (value === undefined) return JSON.stringify(json);
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${' '.repeat(spaces)}`);
}

export function joinLines(...parts: readonly (string | false | null | undefined)[]): string {
  return parts.filter((part) => typeof part === 'string').join('\n');
}

const ENVIRONMENT = "import { env } from 'node:process';";

function asFetch({ method, path, request }: ServiceCall, isFirst: boolean): string {
  const key = isFirst ? `'Bearer ${WELL_KNOWN_KEY}'` : `\`Bearer \${env.SVC_API_KEY}\``;
  const type = request === null ? '' : ", 'content-type': 'application/json'";
  return joinLines(
    !isFirst && ENVIRONMENT,
    `const response = await fetch('${window.location.origin}${path}', {`,
    `  method: '${method}',`,
    `  headers: { authorization: ${key}${type} },`,
    request !== null && `  body: JSON.stringify(${formatIndentedJson(request, 2)}),`,
    '});',
    isStream(request)
      ? 'for await (const bytes of response.body) {\n  console.log(new TextDecoder().decode(bytes));\n}'
      : `console.log(await response.${isSpeech(path) ? 'arrayBuffer' : 'json'}());`,
  );
}

const METHODS: Record<string, string> = {
  'POST /v1/chat/completions': 'client.chat.completions.create',
  'POST /v1/images/generations': 'client.images.generate',
  'POST /v1/audio/speech': 'client.audio.speech.create',
  'GET /v1/models': 'client.models.list',
};

function asOpenAi(call: ServiceCall, isFirst: boolean): string {
  const { path, request } = call;
  return joinLines(
    "import OpenAI from 'openai';",
    !isFirst && ENVIRONMENT,
    `\nconst client = new OpenAI({\n  baseURL: '${window.location.origin}/v1',`,
    `  apiKey: ${isFirst ? `'${WELL_KNOWN_KEY}'` : 'env.SVC_API_KEY'},\n});`,
    `const answer = await ${sdkCall(call)};`,
    isStream(request)
      ? "for await (const chunk of answer) {\n  process.stdout.write(chunk.choices[0]?.delta.content ?? '');\n}"
      : `console.log(${isSpeech(path) ? 'await answer.arrayBuffer()' : 'answer'});`,
  );
}

function sdkCall({ method, path, request }: ServiceCall): string {
  const name = METHODS[`${method} ${path}`];
  const body = request === null ? undefined : formatIndentedJson(request, 0);
  if (name) return `${name}(${body ?? ''})`;
  return `client.${method.toLowerCase()}('${path.replace(/^\/v1/, '')}'${body ? `, { body: ${body} }` : ''})`;
}

export function isStream(request: string | null): boolean {
  return request !== null && Object(JSON.parse(request)).stream === true;
}

function isSpeech(path: string): boolean {
  return path === '/v1/audio/speech';
}

export const CODE_SAMPLE_WRITERS: Readonly<Record<string, typeof formatCurlCommand>> = {
  curl: formatCurlCommand,
  openai: asOpenAi,
  fetch: asFetch,
};
