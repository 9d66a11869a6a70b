import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { MAIN } from './spawned-program.ts';

it.each(['--help', 'exec --help', 'check --help'])(
  'exits without an error if nobody reads the output of %s [I150]',
  async (line) => {
    // The reader ends long before the program prints.
    const shell = `{ "$0" "$1" ${line}; echo "code $?" >&2; } | true`;
    const { stderr } = await promisify(execFile)('sh', ['-c', shell, process.execPath, MAIN]);
    expect(stderr).toBe('code 0\n');
  },
);
