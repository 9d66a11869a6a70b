import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

type PackageManager = 'npm' | 'pnpm' | 'yarn' | 'yarn1' | 'bun';

const LOCK_FILES = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
] as const;

function packageManager(env: NodeJS.ProcessEnv, folder: string): PackageManager {
  const [, name, major] = /^(npm|pnpm|yarn|bun)\/(\d+)/.exec(env.npm_config_user_agent ?? '') ?? [];
  if (name === 'yarn' && major === '1') return 'yarn1';
  if (name !== undefined) return name as PackageManager;
  return 'pnp' in process.versions ? 'yarn' : managerOf(folder);
}

function managerOf(folder: string): PackageManager {
  const [file, name] = LOCK_FILES.find(([each]) => existsSync(path.join(folder, each))) ?? [];
  if (name === 'yarn' && file !== undefined) return isOldLock(path.join(folder, file)) ? 'yarn1' : name;
  if (name !== undefined) return name;
  const parent = path.dirname(folder);
  return parent === folder ? 'npm' : managerOf(parent);
}

function isOldLock(file: string): boolean {
  return readFileSync(file, 'utf8').includes('# yarn lockfile v1');
}

const COMMANDS: Readonly<Record<PackageManager, { optional: string; build: string; sqlite: string }>> = {
  npm: {
    optional: 'npm install --include=optional',
    build: 'npm rebuild --ignore-scripts=false better-sqlite3',
    sqlite: 'npm install --ignore-scripts=false better-sqlite3@12',
  },
  pnpm: {
    optional: 'pnpm install --force',
    build: 'pnpm add --allow-build=better-sqlite3 better-sqlite3@12',
    sqlite: 'pnpm add --allow-build=better-sqlite3 better-sqlite3@12',
  },
  yarn: {
    optional: 'yarn install',
    build: 'yarn rebuild better-sqlite3',
    sqlite: 'yarn add better-sqlite3@12',
  },
  yarn1: {
    optional: 'yarn install --force',
    build: 'yarn install --force',
    sqlite: 'yarn add better-sqlite3@12',
  },
  bun: {
    optional: 'bun install --force',
    build: 'bun pm trust better-sqlite3',
    sqlite: 'bun add --trust better-sqlite3@12',
  },
};

export function packageManagerCommands(env = process.env, folder = process.cwd()): (typeof COMMANDS)[PackageManager] {
  return COMMANDS[packageManager(env, folder)];
}
