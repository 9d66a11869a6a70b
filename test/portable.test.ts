import { expect, it } from 'vitest';
import { sources } from './support/sources.ts';

/** All source files except those of the dashboard page, which runs in a browser. */
const portable = sources.filter(({ name }) => name.endsWith('.ts') && !name.startsWith('dashboard/page/'));

/** Features that only POSIX has, and the files that may use them because they also have another way. */
it.each<[string, RegExp, string[]]>([
  [
    'a path of a POSIX system',
    /['"`]\/(?:tmp|dev|bin|usr|etc|proc|var|home)(?:\/|['"`])/,
    // Without /proc, these files know less about other processes.
    ['cli/end-with-npm.ts', 'check/runner/leftover-processes.ts', 'check/runner/stray-processes.ts'],
  ],
  [
    'a call of a program by a fixed name',
    /\b(?:spawn|spawnSync|execFile|execFileSync|fork)\(\s*['"`]/,
    // The program `git` has the same name on every system.
    ['cli/check/check-output.ts', 'cli/check/work-trees.ts'],
  ],
  [
    'a command line for a shell',
    /\bexecSync\(|\bexec\b[^;]* from 'node:child_process'|\bshell: true\b/,
    ['check/runner/shell-process.ts'],
  ],
  [
    'a signal to a process group',
    /process\.kill\(\s*-/,
    ['cli/child-command.ts', 'check/runner/leftover-processes.ts'],
  ],
  [
    'a signal that Windows does not have',
    /'SIG(?:USR1|USR2|CHLD|STOP|CONT|TSTP|PIPE|WINCH|ALRM|QUIT)'/,
    // These files listen only to signals that the system has.
    ['cli/child-command.ts', 'cli/process-end.ts'],
  ],
  ['the signal SIGHUP', /'SIGHUP'/, ['cli/child-command.ts', 'cli/process-end.ts', 'client/local-emulator.ts']],
  ['a signal to its own process', /process\.kill\(process\.pid/, ['cli/end-with-npm.ts']],
  ['a user or group of the system', /process\.(?:getuid|geteuid|getgid|setuid|setgid)\b/, []],
  ['a change of file modes', /\bf?l?chmod(?:Sync)?\(|\bchown(?:Sync)?\(/, []],
  ['a symbolic link', /\bsymlink(?:Sync)?\(/, []],
  ['a path taken from a file URL by hand', /(?:import\.meta\.url|moduleUrl)\)\.pathname/, []],
  ['a list of paths split or joined by hand', /\.split\(':'\)(?=.*PATH)|PATH\b.*\.join\(':'\)/, []],
])('contains %s only in source files that this test lists', (_what, sign, allowed) => {
  const found = portable.filter(({ code }) => sign.test(code)).map(({ name }) => name);
  expect(found).toEqual(allowed);
});
