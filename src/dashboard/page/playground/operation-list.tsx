import { Link } from 'wouter';
import { at } from '../data/paths.ts';
import type { ServiceCall } from './read-document.ts';

/** `createChatCompletion` as `Create chat completion`. */
export function titleOfOperation(id: string): string {
  const words = id.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The first word of a path below /v1. */
function groupOf({ path }: ServiceCall): string {
  const name = path.split('/')[2] ?? '';
  return name.charAt(0).toUpperCase() + name.slice(1);
}

interface OperationListProps {
  calls: readonly ServiceCall[];
  current: string;
  /** The address of the table of engines. */
  engines: string;
}

/** Every operation, by what it is about. */
export function OperationList({ calls, current, engines }: OperationListProps) {
  const groups = [...new Set(calls.map(groupOf))];
  return (
    <nav className="side-list fixed scrolls" aria-label="Operations">
      {groups.map((group) => (
        <section key={group}>
          <h2>{group}</h2>
          <ul>
            {calls
              .filter((call) => groupOf(call) === group)
              .map(({ id, method, path }) => (
                <Entry key={id} id={id} current={current} note={`${method} ${path}`} />
              ))}
            {group === 'Videos' && <Entry id={engines} current={current} title="Compare engines" />}
          </ul>
        </section>
      ))}
    </nav>
  );
}

interface EntryProps {
  id: string;
  current: string;
  title?: string;
  note?: string;
}

function Entry({ id, current, title = titleOfOperation(id), note }: EntryProps) {
  return (
    <li>
      <Link href={at.playground(id)} title={note} aria-current={id === current ? 'page' : undefined}>
        {title}
      </Link>
    </li>
  );
}
