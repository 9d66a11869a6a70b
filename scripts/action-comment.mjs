// The last step of action.yml. It keeps one comment on the pull request for each row of a job: it writes the comment when a
// run first fails, and edits it after later runs. Every error here becomes a warning, so a comment never fails a job.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { GITHUB_REPOSITORY, GITHUB_RUN_ID, GITHUB_SERVER_URL, GITHUB_WORKFLOW } = process.env;
const { NUMBER, OUTCOME, EXIT_CODE, ROW, SUMMARY } = process.env;

/** The author of the comments that a job writes with its token. */
const AUTHOR = 'github-actions[bot]';
/** GitHub accepts at most 65,536 characters. */
const MAX = 60_000;
const PAGE = 100;
const CALL_LIMIT_MS = 30_000;

/** Every comment begins with this. It starts an HTML comment, which GitHub does not show. */
const MARK = `<!-- svc-emulator ${encodeURIComponent(`${GITHUB_WORKFLOW}/${ROW}`)} `;

try {
  comment();
} catch (error) {
  const [reason] = String(error.stderr || error.message)
    .trim()
    .split('\n', 1);
  annotate(
    'warning',
    `No comment was written on pull request ${NUMBER} (${reason}). It takes gh, and the permission "pull-requests: write", which a pull request from a fork does not get.`,
  );
}

function comment() {
  // A cancelled run says nothing about the code.
  if (!['failure', 'success'].includes(OUTCOME)) return;
  const summary = readSummary();
  if (summary === undefined) {
    return annotate('notice', `Nothing is commented: the run wrote no summary. Its log says why.`);
  }
  const state = OUTCOME === 'failure' ? 'broken' : 'fixed';
  const earlier = ownComment();
  if (state === 'fixed' && !earlier?.body.startsWith(`${MARK}broken`)) return;
  const body = [`${MARK}${state} -->`, headline(state), '', summary.slice(0, MAX)].join('\n');
  if (earlier) call('PATCH', `issues/comments/${earlier.id}`, { body });
  else call('POST', `issues/${NUMBER}/comments`, { body });
}

function headline(state) {
  const what = state === 'broken' ? `broken, with exit code ${EXIT_CODE}` : 'fixed';
  const name = `${GITHUB_WORKFLOW} / ${ROW}`.replace(/[`\s]+/g, ' ');
  return `\`${name}\` is ${what}: [run ${GITHUB_RUN_ID}](${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}).`;
}

function readSummary() {
  try {
    return readFileSync(SUMMARY, 'utf8');
  } catch {
    return undefined;
  }
}

/** The comment of an earlier run of this row. The author is checked, because a person may quote the comment. */
function ownComment() {
  for (let page = 1; ; page += 1) {
    const comments = call('GET', `issues/${NUMBER}/comments?per_page=${PAGE}&page=${page}`);
    const own = comments.find(({ user, body }) => user?.login === AUTHOR && body.startsWith(MARK));
    if (own || comments.length < PAGE) return own;
  }
}

/** Throws if `gh` fails, is not installed, or exceeds the time limit. */
function call(method, path, body) {
  const args = ['api', '--method', method, `repos/${GITHUB_REPOSITORY}/${path}`, ...(body ? ['--input', '-'] : [])];
  const options = { encoding: 'utf8', timeout: CALL_LIMIT_MS, maxBuffer: 2 ** 26, stdio: 'pipe' };
  return JSON.parse(execFileSync('gh', args, { ...options, input: body ? JSON.stringify(body) : '' }));
}

function annotate(kind, text) {
  const line = text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
  process.stdout.write(`::${kind} title=svc-emulator::${line}\n`);
}
