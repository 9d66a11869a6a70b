import path from 'node:path';
import { expect, it } from 'vitest';
import { packageManagerCommands } from '../../../src/base/config/package-manager.ts';
import { folderOf } from '../../cli/spawned-program.ts';

it.each([
  ['npm/11.19.1 node/v20.20.2 linux x64', 'npm rebuild --ignore-scripts=false better-sqlite3'],
  ['pnpm/10.12.1 npm/? node/v20.20.2 linux x64', 'pnpm add --allow-build=better-sqlite3 better-sqlite3@12'],
  ['yarn/1.22.22 npm/? node/v20.20.2 linux x64', 'yarn install --force'],
  ['yarn/4.9.2 npm/? node/v20.20.2 linux x64', 'yarn rebuild better-sqlite3'],
  ['bun/1.2.17 npm/? node/v24.3.0 linux x64', 'bun pm trust better-sqlite3'],
])(
  'suggests a command that compiles SQLite for the package manager that started the emulator: %s',
  (agent, command) => {
    const folder = folderOf({ 'package-lock.json': '{}' });
    expect(packageManagerCommands({ npm_config_user_agent: agent }, folder).build).toBe(command);
  },
);

it.each([
  ['package-lock.json', '{}', 'npm install --include=optional'],
  ['pnpm-lock.yaml', '', 'pnpm install --force'],
  ['yarn.lock', '# yarn lockfile v1\n', 'yarn install --force'],
  ['yarn.lock', '__metadata:\n  version: 8\n', 'yarn install'],
  ['bun.lock', '{}', 'bun install --force'],
])('suggests the install command of the package manager whose %s is in a parent folder', (file, text, command) => {
  const folder = folderOf({ [file]: text });
  expect(packageManagerCommands({}, path.join(folder, 'packages', 'app')).optional).toBe(command);
});
