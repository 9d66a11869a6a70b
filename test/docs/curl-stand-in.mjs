// What the pages of docs/ use of curl, for machines that have none:
// -H, -d, -o, -X, and -f with -s and -S, by themselves or in one word.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    fail: { type: 'boolean', short: 'f' },
    silent: { type: 'boolean', short: 's' },
    'show-error': { type: 'boolean', short: 'S' },
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    data: { type: 'string', short: 'd' },
    output: { type: 'string', short: 'o' },
    request: { type: 'string', short: 'X' },
  },
});

const response = await fetch(positionals[0], {
  method: values.request ?? (values.data === undefined ? 'GET' : 'POST'),
  headers: values.header.map((line) => line.split(/: (.*)/, 2)),
  body: values.data,
});
const bytes = Buffer.from(await response.arrayBuffer());
if (values.fail && !response.ok) {
  process.stderr.write(`curl: (22) The requested URL returned error: ${response.status}\n`);
  process.exitCode = 22;
} else if (values.output === undefined) {
  process.stdout.write(bytes);
} else {
  writeFileSync(values.output, bytes);
}
