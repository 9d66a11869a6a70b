import { WELL_KNOWN_KEY } from './chosen-account.ts';
import type { SampledCall } from './code-samples.ts';

/** The call by `fetch`; `isFirst`: it is of the account whose key everybody knows. */
export function asFetch(call: SampledCall, isFirst: boolean): string {
  const { method, path, request, form } = call;
  const type = request === null || form ? '' : ", 'content-type': 'application/json'";
  const streams = isStream(request);
  return [
    ...environment(isFirst),
    ...fileLines(form),
    `const response = await fetch('${window.location.origin}${path}', {`,
    `  method: '${method}',`,
    `  headers: { authorization: ${authorization(isFirst)}${type} },`,
    ...(form ? ['  body: form,'] : []),
    ...(request === null || form ? [] : [`  body: JSON.stringify(${indented(request, 2)}),`]),
    '});',
    ...(streams
      ? ['for await (const bytes of response.body) {', '  console.log(new TextDecoder().decode(bytes));', '}']
      : [`console.log(await response.${isSpeech(path) ? 'arrayBuffer' : 'json'}());`]),
  ].join('\n');
}

/** The methods of the SDK; everything else goes by its plain `get`, `post` and `delete`. */
const METHODS: Record<string, string> = {
  'POST /v1/chat/completions': 'client.chat.completions.create',
  'POST /v1/images/generations': 'client.images.generate',
  'POST /v1/audio/speech': 'client.audio.speech.create',
  'GET /v1/models': 'client.models.list',
};

/** The call by the `openai` package. */
export function asOpenAi(call: SampledCall, isFirst: boolean): string {
  const streams = isStream(call.request);
  return [
    "import OpenAI from 'openai';",
    ...environment(isFirst),
    ...(isTranscription(call.path) ? ["import { createReadStream } from 'node:fs';"] : []),
    ...(isTranscription(call.path) ? [] : fileLines(call.form)),
    '',
    'const client = new OpenAI({',
    `  baseURL: '${window.location.origin}/v1',`,
    `  apiKey: ${isFirst ? `'${WELL_KNOWN_KEY}'` : 'env.SVC_API_KEY'},`,
    '});',
    `const answer = await ${sdkCall(call)};`,
    ...(streams
      ? ['for await (const chunk of answer) {', "  process.stdout.write(chunk.choices[0]?.delta.content ?? '');", '}']
      : [isSpeech(call.path) ? 'console.log(await answer.arrayBuffer());' : 'console.log(answer);']),
  ].join('\n');
}

function sdkCall({ method, path, request, form }: SampledCall): string {
  const name = METHODS[`${method} ${path}`];
  if (name) return `${name}(${request === null ? '' : indented(request, 0)})`;
  const route = `'${path.replace(/^\/v1/, '')}'`;
  if (form) return sdkUpload(path, form);
  const body = request === null ? '' : `, { body: ${indented(request, 0)} }`;
  return `client.${method.toLowerCase()}(${route}${body})`;
}

function sdkUpload(path: string, { fields, file }: NonNullable<SampledCall['form']>): string {
  if (!isTranscription(path)) return `client.post('${path.replace(/^\/v1/, '')}', { body: form })`;
  return `client.audio.transcriptions.create({ file: createReadStream('${file}')${listed(fields)} })`;
}

function fileLines(form: SampledCall['form']): string[] {
  if (!form) return [];
  return [
    "import { openAsBlob } from 'node:fs';",
    '',
    'const form = new FormData();',
    `form.set('file', await openAsBlob('${form.file}'), '${form.file}');`,
    ...Object.entries(form.fields).map(([name, value]) => `form.set('${name}', ${JSON.stringify(value)});`),
  ];
}

function listed(fields: Record<string, string>): string {
  return Object.entries(fields)
    .map(([name, value]) => `, ${name}: ${JSON.stringify(value)}`)
    .join('');
}

/** A key that the page does not know stands in the environment. */
function environment(isFirst: boolean): string[] {
  return isFirst ? [] : ["import { env } from 'node:process';"];
}

function authorization(isFirst: boolean): string {
  return isFirst ? `'Bearer ${WELL_KNOWN_KEY}'` : `\`Bearer \${env.SVC_API_KEY}\``;
}

function isStream(request: string | null): boolean {
  return request !== null && /"stream":\s*true/.test(request);
}

function isSpeech(path: string): boolean {
  return path === '/v1/audio/speech';
}

function isTranscription(path: string): boolean {
  return path === '/v1/audio/transcriptions';
}

/** JSON laid out, from the second line on so many spaces further in. */
function indented(json: string, spaces: number): string {
  return JSON.stringify(JSON.parse(json), null, 2).replaceAll('\n', `\n${' '.repeat(spaces)}`);
}

/** The call by Python's own library, without a package; `isFirst`: it is of the account whose key everybody knows. */
export function asPython({ method, path, request, form }: SampledCall, isFirst: boolean): string {
  const type = form ? "'multipart/form-data; boundary=part'" : request === null ? '' : "'application/json'";
  const body = form
    ? "b''.join(parts)"
    : request === null
      ? ''
      : `json.dumps(${pythonOf(JSON.parse(request))}).encode()`;
  const key = isFirst ? `'Bearer ${WELL_KNOWN_KEY}'` : "'Bearer ' + os.environ['SVC_API_KEY']";
  return [
    ...(request === null || form ? [] : ['import json']),
    ...(isFirst ? [] : ['import os']),
    'import urllib.request',
    ...(form ? ['from pathlib import Path'] : []),
    '',
    ...(form ? partLines(form) : []),
    'call = urllib.request.Request(',
    `    '${window.location.origin}${path}',`,
    `    method='${method}',`,
    `    headers={'authorization': ${key}${type && `, 'content-type': ${type}`}},`,
    ...(body ? [`    data=${body},`] : []),
    ')',
    'with urllib.request.urlopen(call) as answer:',
    path === '/v1/audio/speech' ? "    print(len(answer.read()), 'bytes')" : '    print(answer.read().decode())',
  ].join('\n');
}

function partLines({ fields, file }: NonNullable<SampledCall['form']>): string[] {
  const head = `--part\\r\\nContent-Disposition: form-data; name=`;
  return [
    `fields = ${pythonOf(fields)}`,
    'parts = [',
    `    f'${head}"{name}"\\r\\n\\r\\n{text}\\r\\n'.encode()`,
    '    for name, text in fields.items()',
    ']',
    `file = Path(${JSON.stringify(file)})`,
    `head = f'${head}"file"; filename="{file.name}"\\r\\n\\r\\n'`,
    "parts += [head.encode(), file.read_bytes(), b'\\r\\n--part--\\r\\n']",
  ];
}

/** A value of JSON as Python writes it. */
function pythonOf(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${pythonOf(each)}`);
  return `{${fields.join(', ')}}`;
}
