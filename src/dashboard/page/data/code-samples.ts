import { WELL_KNOWN_KEY } from './account-and-clock.ts';
import type { RequestRecord } from './records.ts';

/** The parts of a call; `request` is its JSON body. */
export type SampledCall = Pick<RequestRecord, 'method' | 'path' | 'request'> & {
  /** For an upload: its fields, and the name of the file. */
  form?: { fields: Record<string, string>; file: string } | undefined;
};

/** The example for a first call. */
export function firstCall(): string {
  return [
    `curl ${window.location.origin}/v1/chat/completions`,
    `-H 'authorization: Bearer ${WELL_KNOWN_KEY}'`,
    "-H 'content-type: application/json'",
    `-d '{"model": "svc-rp-mini", "messages": [{"role": "user", "content": "Hello"}]}'`,
  ].join(' \\\n  ');
}

/** The call as a command; `isFirst`: it is of the account whose key everybody knows. */
export function asCurl({ method, path, request, form }: SampledCall, isFirst: boolean): string {
  const key = isFirst ? WELL_KNOWN_KEY : '$SVC_API_KEY';
  const auth = isFirst ? quoted(`authorization: Bearer ${key}`) : `"authorization: Bearer ${key}"`;
  const json = request === null ? [] : [`-H 'content-type: application/json'`, `--data-raw ${quoted(request)}`];
  const body = form ? curlForm(form) : json;
  const isPlain = method === 'GET' || (method === 'POST' && body.length > 0);
  return [`curl${isPlain ? '' : ` -X ${method}`} ${quoted(window.location.origin + path)}`, `-H ${auth}`, ...body].join(
    ' \\\n  ',
  );
}

function curlForm({ fields, file }: NonNullable<SampledCall['form']>): string[] {
  const texts = Object.entries(fields).map(([name, value]) => `-F ${quoted(`${name}=${value}`)}`);
  return [`-F ${quoted(`file=@${file}`)}`, ...texts];
}

/** The call as a test for Vitest, with the status that it was answered. */
export function asTest({ method, path, request, status, credits }: RequestRecord): string {
  const body = request === null ? [] : [`    body: JSON.stringify(${laidOut(request, 4)}),`];
  const type = request === null ? '' : ", 'content-type': 'application/json'";
  return `${[
    "import { expect } from 'vitest';",
    "import { test } from 'svc-emulator/vitest';",
    '',
    `test(${JSON.stringify(`${method} ${path} answers ${status}`)}, async ({ emulator, account }) => {`,
    `  const response = await fetch(emulator.url + ${JSON.stringify(path)}, {`,
    `    method: '${method}',`,
    `    headers: { authorization: \`Bearer \${account.apiKey}\`${type} },`,
    ...body,
    '  });',
    `  expect(response.status).toBe(${status});`,
    ...(credits === null || status >= 400 ? [] : [`  await expect(account).toHaveSpent({ credits: ${credits} });`]),
    '});',
  ].join('\n')}\n`;
}

/** In single quotes, as a shell reads it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Pretty-printed JSON, indented by this many spaces from the second line on; other text as a string of JSON. */
export function laidOut(json: string, spaces: number): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2).replaceAll('\n', `\n${' '.repeat(spaces)}`);
  } catch {
    return JSON.stringify(json);
  }
}
