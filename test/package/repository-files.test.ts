import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import server from '../../server.json' with { type: 'json' };

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (name: string) => readFileSync(`${root}${name}`, 'utf8');

it('describes in server.json the MCP server of this version of the package', () => {
  expect(server.version).toBe(manifest.version);
  expect(server.description.length).toBeLessThanOrEqual(100);
  expect(server.packages).toEqual([
    {
      registryType: 'npm',
      identifier: manifest.name,
      version: manifest.version,
      transport: { type: 'stdio' },
      packageArguments: [{ type: 'positional', value: 'mcp' }],
    },
  ]);
});

it('requires every field of its three issue forms', () => {
  const forms = readdirSync(`${root}.github/ISSUE_TEMPLATE`).filter((name) => name !== 'config.yml');
  expect(forms).toEqual(['bug.yml', 'difference.yml', 'finding.yml']);
  for (const name of forms) {
    const form = parse(read(`.github/ISSUE_TEMPLATE/${name}`));
    expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String) });
    const ids = form.body.map(({ id }: { id: string }) => id);
    expect(ids).toEqual([...new Set(ids)]);
    for (const { type, attributes, validations } of form.body) {
      expect(['textarea', 'input']).toContain(type);
      expect(attributes.label).toMatch(/^[A-Z]/);
      expect(validations).toEqual({ required: true });
    }
  }
});

it('names in AGENTS.md only npm scripts that exist', () => {
  const named = [...read('AGENTS.md').matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name);
  expect(named).toContain('check');
  for (const name of named) expect(manifest.scripts).toHaveProperty([`${name}`]);
});
