import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ask } from '../data/call-api.ts';
import { ErrorNotice, PageHead } from '../pieces/page-parts.tsx';
import { SearchBox } from '../pieces/search-box.tsx';
import { useOpened } from '../pieces/use-address.ts';
import { type DocsNode, type DocsSection, drawNodes } from './docs-node.tsx';
import './docs.css';
import { Link } from 'wouter';
import { at } from '../data/paths.ts';

const FIRST = 'README';

/** The documentation, as it was when this emulator was built. */
export default function DocsPage() {
  const { id: name = FIRST } = useOpened('docs');
  const [text, setText] = useState('');
  const { data: sections = [] } = useDocs<DocsSection[]>('index');
  return (
    <>
      <PageHead title="Docs">
        <SearchBox label="Search the docs" value={text} onChange={setText} />
        <span className="grow" />
        <a className="button docs-markdown" href={`/docs/${name}.md`}>
          Markdown
        </a>
      </PageHead>
      <div className="docs split fill" data-searching={text === '' ? undefined : ''}>
        <DocsList sections={sections} text={text} opened={name} onOpen={() => setText('')} />
        <Article key={name} name={name} />
      </div>
    </>
  );
}

function Article({ name }: { name: string }) {
  const { data, error } = useDocs<DocsNode[]>(name);
  useEffect(() => {
    if (!data) return;
    const id = decodeURIComponent(window.location.hash.slice(1));
    if (id !== '') document.getElementById(id)?.scrollIntoView();
  }, [data]);
  return (
    <section className="docs-article grow scrolls" aria-label="Page" tabIndex={0}>
      <ErrorNotice error={error} />
      <div className="docs-text">{data && drawNodes(data)}</div>
    </section>
  );
}

/** A file that the build has made of the documentation. */
function useDocs<T>(name: string) {
  return useQuery({
    queryKey: ['docs', name],
    queryFn: async (): Promise<T> => {
      const response = await ask(`/docs/${encodeURIComponent(name)}.json`, { method: 'GET' });
      if (!response.ok) throw new Error(`There is no page "${name}" in this version's docs.`);
      return (await response.json()) as T;
    },
  });
}

interface DocsListProps {
  sections: readonly DocsSection[];
  /** What is searched for; empty: all pages, without their headings. */
  text: string;
  /** The page that is open. */
  opened: string;
  onOpen: () => void;
}

/** All pages; while something is searched for, the headings of which it is a part. */
function DocsList({ sections, text, opened, onOpen }: DocsListProps) {
  const groups = text === '' ? sections.map(pagesOf) : [{ title: '', links: search(sections, text) }];
  return (
    <nav className="side-list fixed scrolls" aria-label={text === '' ? 'Docs' : 'Found in the docs'}>
      {groups.map(({ title, links }) => (
        <div key={title}>
          {title && <h2>{title}</h2>}
          {links.length === 0 && <p className="soft">No heading is like this.</p>}
          <ul>
            {links.map(({ href, text: words, note }) => (
              <li key={href}>
                <Link href={href} onClick={onOpen} aria-current={href === at.docs(opened) ? 'page' : undefined}>
                  {words}
                  {note && <span className="soft small"> {note}</span>}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

interface DocsLink {
  href: string;
  text: string;
  note?: string;
}

function pagesOf({ title, pages }: DocsSection): { title: string; links: DocsLink[] } {
  return { title, links: pages.map((page) => ({ href: at.docs(page.name), text: page.title })) };
}

function search(sections: readonly DocsSection[], text: string): DocsLink[] {
  const all = sections.flatMap(({ pages }) =>
    pages.flatMap(({ name, title, headings }): DocsLink[] => [
      { href: at.docs(name), text: title },
      ...headings.map((each) => ({ href: `${at.docs(name)}#${each.id}`, text: each.text, note: title })),
    ]),
  );
  return all.filter((each) => each.text.toLowerCase().includes(text.toLowerCase()));
}
