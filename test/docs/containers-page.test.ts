import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { startProgram } from '../cli/spawned-program.ts';
import { argumentsOf } from '../container/image-file.ts';
import { sectionOf } from './follow-page.ts';

/** The parsed recipes of the page, by the provider that their first line names. */
const RECIPES = Object.fromEntries(
  [...sectionOf('docs/ci.md', '## Run in a container').matchAll(/^```yaml\n# (\w+).*\n([\s\S]*?)^```$/gm)].map(
    ([, provider = '', text = '']) => [provider, parse(text)],
  ),
);

/** The image and the environment of the service in each recipe, and its port or host name for the job. */
function services() {
  const { GitHub, GitLab } = RECIPES;
  const [inGitLab] = GitLab.services;
  const github = GitHub.services['svc-emulator'];
  return {
    GitHub: { image: github.image, env: github.env, ports: github.ports },
    GitLab: { image: inGitLab.name, env: GitLab.variables, host: inGitLab.alias },
  };
}

it('documents the image as a service for two CI providers, with its port and its addresses', () => {
  const { GitHub, GitLab } = services();
  expect(GitHub.image).toBe(GitLab.image);
  expect(GitHub.ports).toEqual([`${argumentsOf('EXPOSE')[0]}:4600`]);
  expect(GitLab.env.SVC_BASE_URL).toBe(`http://${GitLab.host}:4600`);
  expect(GitLab.env.OPENAI_BASE_URL).toBe(`${GitLab.env.SVC_BASE_URL}/v1`);
});

it.each(Object.entries(services()))(
  'starts with the settings that are documented for a CI job of %s, and accepts the documented key and control token',
  async (_provider, { env }) => {
    expect(argumentsOf('ENV')[0]).toContain('SVC_EMULATOR_HOST=0.0.0.0');
    const { url } = await startProgram(['--ephemeral', '--host', '0.0.0.0'], env);
    const near = url.replace('0.0.0.0', '127.0.0.1');
    const statusOf = async (path: string, token: string) =>
      (await fetch(near + path, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await statusOf('/v1/account', 'svc_sk_local_emulator')).toBe(200);
    expect(await statusOf('/_emulator/jobs', env.SVC_EMULATOR_CONTROL_TOKEN)).toBe(200);
    expect(await statusOf('/_emulator/jobs', 'another-token')).toBe(401);
    expect(await statusOf('/_emulator/health', '')).toBe(200);
  },
);
