import { WELL_KNOWN_KEY } from './chosen-account.ts';
import type { SampledCall } from './code-samples.ts';

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
