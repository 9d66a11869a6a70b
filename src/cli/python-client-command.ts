import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { packageFolder } from '../package/fixture-folder.ts';

/** `svc-emulator python-client`: the client for Python, to be put beside the tests that use it. */
export function pythonClientCommand(): Command {
  return new Command('python-client')
    .description('print the client and pytest plugin for Python: svc-emulator python-client > svc_emulator.py')
    .action(() => {
      process.stdout.write(readFileSync(path.join(packageFolder(), 'src', 'python', 'svc_emulator.py')));
    });
}
