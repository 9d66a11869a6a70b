import { Link } from 'wouter';
import { at } from '../data/paths.ts';

/** What `/docs/index.json` holds: the sections of the documentation, in their order. */
export interface DocsSection {
  title: string;
  pages: { name: string; title: string; headings: { id: string; text: string }[] }[];
}

interface DocsListProps {
  sections: readonly DocsSection[];
  /** What is searched for; empty: all pages, without their headings. */
  text: string;
  /** The page that is open. */
  opened: string;
  onOpen: () => void;
}

/** All pages; during a search the matching headings. */
export function DocsList({ sections, text, opened, onOpen }: DocsListProps) {
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

interface DocsEntry {
  href: string;
  text: string;
  note?: string;
}

function pagesOf({ title, pages }: DocsSection): { title: string; links: DocsEntry[] } {
  return { title, links: pages.map((page) => ({ href: at.docs(page.name), text: page.title })) };
}

function search(sections: readonly DocsSection[], text: string): DocsEntry[] {
  const all = sections.flatMap(({ pages }) =>
    pages.flatMap(({ name, title, headings }): DocsEntry[] => [
      { href: at.docs(name), text: title },
      ...headings.map((each) => ({ href: `${at.docs(name)}#${each.id}`, text: each.text, note: title })),
    ]),
  );
  return all.filter((each) => each.text.toLowerCase().includes(text.toLowerCase()));
}
