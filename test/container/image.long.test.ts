import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './image-file.ts';

const SCRIPT = path.join(ROOT, 'scripts', 'image.sh');
const TOOLS = ['buildah', 'podman', 'runc', 'debootstrap', 'docker-compose'];
const missing = TOOLS.filter((name) => spawnSync('which', [name]).status !== 0);
const remedy = missing.length === 0 ? '' : ` (not run: apt-get install ${missing.join(' ')})`;

it.runIf(missing.length === 0 && process.getuid?.() === 0)(
  `builds the image and runs it: without a network, as an unprivileged user, with its data in a volume${remedy}`,
  () => {
    const { status, stdout, stderr } = spawnSync('bash', [SCRIPT], { encoding: 'utf8' });
    expect(status, stdout + stderr).toBe(0);
    expect(stdout.match(/^ok {4}.+$/gm)).toHaveLength(10);
  },
  1_800_000,
);
