// Stands in for GitHub's `gh api` in tests of the action: comments of one pull request, kept in the file GH_COMMENTS; every
// call is written to GH_CALLS. With GH_REFUSES it answers as GitHub does to a token that may not write.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';

const { GH_CALLS, GH_COMMENTS, GH_REFUSES, GH_TOKEN } = process.env;
const [api, flag, method, path, ...rest] = process.argv.slice(2);
appendFileSync(GH_CALLS, `${method} ${path}\n`);
if (!GH_TOKEN || api !== 'api' || flag !== '--method') fail('gh: unknown call');
if (GH_REFUSES && method !== 'GET') fail('gh: Resource not accessible by integration (HTTP 403)');

const url = new URL(path, 'https://api.example/');
const comments = JSON.parse(readFileSync(GH_COMMENTS, 'utf8'));
process.stdout.write(JSON.stringify(answer()));
writeFileSync(GH_COMMENTS, JSON.stringify(comments));

function answer() {
  const [, of, id] = /^\/repos\/example\/app\/issues\/(?:7\/(comments)|comments\/(\d+))$/.exec(url.pathname) ?? [];
  if (method === 'GET' && of) return pageOf(comments);
  const { body } = rest.join(' ') === '--input -' ? JSON.parse(readFileSync(0, 'utf8')) : {};
  if (method === 'POST' && of && body)
    return write({ id: comments.length + 1, user: { login: 'github-actions[bot]' } }, body);
  const known = comments.find((comment) => String(comment.id) === id);
  if (method === 'PATCH' && known && body) return Object.assign(known, { body });
  return fail('gh: Not Found (HTTP 404)');
}

function pageOf(list) {
  const [size, page] = ['per_page', 'page'].map((name) => Number(url.searchParams.get(name)));
  return list.slice(size * (page - 1), size * page);
}

function write(comment, body) {
  comments.push({ ...comment, body });
  return comments.at(-1);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
