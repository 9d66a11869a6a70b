import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import MarkdownIt from 'markdown-it';

const INDEX = 'README.md';
const markdown = new MarkdownIt({ html: true });

/**
 * The pages of docs/ for the dashboard, as data without HTML: `docs/NAME.json` holds `[tag, attributes, ...children]`
 * trees, `docs/NAME.md` the Markdown, and `docs/index.json` the list of pages, in the order of docs/README.md.
 */
export function docsPages(root) {
  const folder = path.join(root, 'docs');
  const names = readdirSync(folder).filter((name) => name.endsWith('.md'));
  const texts = new Map(names.map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]));
  const drawn = new Map([...texts].map(([name, text]) => [name, draw(name, text)]));
  const sections = sectionsOf(texts.get(INDEX) ?? '', drawn);
  const listed = sections.flatMap(({ pages }) => pages.map(({ name }) => `${name}.md`));
  const lost = names.filter((name) => name !== INDEX && !listed.includes(name));
  if (lost.length > 0) throw new Error(`docs/${INDEX} does not name ${lost.join(', ')}.`);
  return [
    { fileName: 'docs/index.json', source: JSON.stringify(sections) },
    ...[...texts].flatMap(([name, text]) => [
      { fileName: `docs/${name}`, source: text },
      { fileName: `docs/${slug(name)}.json`, source: JSON.stringify(drawn.get(name).tree) },
    ]),
  ];
}

function slug(name) {
  return path.basename(name, '.md');
}

/** `## Section`, and below it a table whose rows begin with a link to a page. */
function sectionsOf(index, drawn) {
  return index
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      title: section.slice(0, section.indexOf('\n')).trim(),
      pages: [...section.matchAll(/^\| \[(.+?)\]\(([\w-]+\.md)\) \| (.*?) \|$/gm)].map(([, title, name]) => ({
        name: slug(name),
        title: draw(INDEX, title).tree[0].slice(2),
        headings: headingsOf(name, drawn),
      })),
    }))
    .filter(({ pages }) => pages.length > 0);
}

function headingsOf(name, drawn) {
  const page = drawn.get(name);
  if (!page) throw new Error(`docs/${INDEX} names ${name}, which there is not.`);
  return page.headings;
}

/** A page as a tree, and its headings. */
function draw(name, text) {
  const page = { name, headings: [], pre: 0, table: 0 };
  return { tree: walk(markdown.parse(text, {}), page), headings: page.headings };
}

function walk(tokens, page) {
  const open = [['root', null]];
  for (const token of tokens) {
    if (token.nesting === 1) open.push([token.tag, attributes(token, page)]);
    else if (token.nesting === -1) close(open, page);
    else if (token.type === 'inline') open.at(-1).push(...walk(token.children, page));
    else if (token.type === 'html_block') walkFolds(token.content, open, page);
    else open.at(-1).push(leaf(token, page));
  }
  if (open.length > 1) refuse(page, `an open <${open.at(-1)[0]}>`);
  return open[0].slice(2);
}

function refuse({ name }, what) {
  throw new Error(`docs/${name} contains ${what}, which the dashboard cannot show.`);
}

const COMMENT = /<!--.*?-->/gs;
const FOLD = /<(details)( open)?>|<\/(details)>|<summary>(.*?)<\/summary>|\S.*/g;

/** Reads `<details>` and `<summary>`, the only HTML that pages may contain. Skips comments. */
function walkFolds(html, open, page) {
  for (const [text, isFold, isOpen, isEnd, summary] of html.replaceAll(COMMENT, '').matchAll(FOLD)) {
    if (isFold) open.push(['details', isOpen ? { open: true } : {}]);
    else if (summary) open.at(-1).push(['summary', null, ...draw(page.name, summary).tree[0].slice(2)]);
    else if (isEnd && open.at(-1)[0] === 'details') close(open, page);
    else refuse(page, text);
  }
}

function close(open, page) {
  const node = open.pop();
  const [tag, attrs, ...children] = node;
  const inside = open.at(-1);
  if (tag === 'a' && attrs.href === undefined) return void inside.push(...children);
  if (tag === 'thead') {
    if (textOf(node) === '') return;
    for (const row of children) row.slice(2).forEach(nameEmpty);
  }
  if (/^h[1-4]$/.test(tag)) {
    attrs.id = anchor(textOf(node));
    if (tag !== 'h1') page.headings.push({ id: attrs.id, title: [...children] });
  }
  inside.push(node);
}

/** Gives an empty header cell a name for screen readers. */
function nameEmpty(cell) {
  if (textOf(cell) === '') cell.push(['span', { className: 'unseen' }, 'Name']);
}

function attributes({ tag, attrs }, page) {
  if (tag === 'table') return { n: ++page.table };
  if (/^h[1-4]$/.test(tag)) return {};
  if (tag !== 'a') return null;
  const href = target(new Map(attrs).get('href') ?? '');
  return href === undefined ? {} : { href };
}

/** Where a link leads in the dashboard; undefined for files that it does not show. */
function target(href) {
  if (/^(?:https?:|#)/.test(href)) return href;
  const [, name, rest = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  if (name === undefined) return undefined;
  return (name === slug(INDEX) ? '/docs' : `/docs/${name}`) + rest;
}

function leaf(token, page) {
  if (token.type === 'text') return token.content;
  if (token.type === 'softbreak') return ' ';
  if (token.type === 'code_inline') return ['code', null, token.content];
  if (token.type === 'fence' || token.type === 'code_block') {
    return ['pre', { n: ++page.pre, lang: token.info.trim() }, token.content.trimEnd()];
  }
  return token.type === 'hr' || token.type === 'hardbreak' ? [token.tag, null] : refuse(page, token.content);
}

function textOf(node) {
  return typeof node === 'string' ? node : node.slice(2).map(textOf).join('');
}

/** The id of a heading, as sites such as GitHub generate it. */
function anchor(text) {
  return text
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}
