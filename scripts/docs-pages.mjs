import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import MarkdownIt from 'markdown-it';

const INDEX = 'README.md';
const markdown = new MarkdownIt({ html: false });

/**
 * The pages of docs/ as the dashboard shows them, without a line of HTML: `docs/NAME.json` holds `[tag, attributes,
 * ...children]` trees, `docs/NAME.md` the Markdown, `docs/index.json` what there is, in the order of docs/README.md.
 */
export function docsPages(root) {
  const folder = path.join(root, 'docs');
  const names = readdirSync(folder).filter((name) => name.endsWith('.md'));
  const texts = new Map(names.map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]));
  const drawn = new Map([...texts].map(([name, text]) => [name, draw(text)]));
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
        title,
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
function draw(text) {
  const headings = [];
  const count = { pre: 0, table: 0 };
  const walk = (tokens) => {
    const open = [['root', null]];
    for (const token of tokens) {
      const inside = open.at(-1);
      if (token.nesting === 1) open.push([token.tag, attributes(token, count)]);
      else if (token.nesting === -1) close(open, headings);
      else if (token.type === 'inline') inside.push(...walk(token.children));
      else inside.push(leaf(token, count));
    }
    return open[0].slice(2);
  };
  return { tree: walk(markdown.parse(text, {})), headings };
}

function close(open, headings) {
  const node = open.pop();
  const [tag, attrs, ...children] = node;
  const inside = open.at(-1);
  if (tag === 'a' && attrs.href === undefined) return void inside.push(...children);
  if (tag === 'thead') {
    if (textOf(node) === '') return;
    for (const row of children) row.slice(2).forEach(nameEmpty);
  }
  if (/^h[1-4]$/.test(tag)) {
    const text = textOf(node);
    attrs.id = anchor(text);
    if (tag !== 'h1') headings.push({ id: attrs.id, text });
  }
  inside.push(node);
}

/** A head without a text has a name for those who hear the page. */
function nameEmpty(cell) {
  if (textOf(cell) === '') cell.push(['span', { className: 'unseen' }, 'Name']);
}

function attributes({ tag, attrs }, count) {
  if (tag === 'table') return { n: ++count.table };
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

function leaf(token, count) {
  if (token.type === 'text') return token.content;
  if (token.type === 'softbreak') return ' ';
  if (token.type === 'code_inline') return ['code', null, token.content];
  if (token.type === 'fence' || token.type === 'code_block') {
    return ['pre', { n: ++count.pre, lang: token.info.trim() }, token.content.trimEnd()];
  }
  return [token.tag, null];
}

function textOf(node) {
  return typeof node === 'string' ? node : node.slice(2).map(textOf).join('');
}

/** As hosts of Markdown make them. */
function anchor(text) {
  return text
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}
