import { copyFileSync, existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const REPORTED =
  /^(?:(?:GITHUB|GITEA|FORGEJO)_(?:STEP_SUMMARY|OUTPUT|ENV|PATH|STATE)|BUILDKITE_ENV_FILE|DRONE_OUTPUT|BITBUCKET_PIPELINES_VARIABLES_PATH)$/;
/** A variable with a file that CircleCI runs before each step, and to which steps append. */
const SOURCED = 'BASH_ENV';

/**
 * Replaces the files by which CI steps report with files of the run, so that its tests report nothing to the caller's
 * CI job.
 */
export function isolateCiFiles(env: NodeJS.ProcessEnv, folder: string): Record<string, string> {
  const names = Object.keys(env).filter((name) => REPORTED.test(name) || name === SOURCED);
  const files = names.map((name): [string, string] => [name, path.join(folder, name)]);
  for (const [name, file] of files) {
    const given = env[name] ?? '';
    if (name === SOURCED && existsSync(given)) copyFileSync(given, file);
    else writeFileSync(file, '');
  }
  return Object.fromEntries(files);
}
