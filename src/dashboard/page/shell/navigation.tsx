import { Link } from 'wouter';
import { type Area, at } from '../data/paths.ts';
import { AREAS } from './areas.ts';

/** All areas: at the left, on a phone at the bottom. */
export function Navigation({ current }: { current: Area | undefined }) {
  return (
    <nav className="navigation" aria-label="Areas">
      <ul>
        {AREAS.map(({ area, title, icon: Icon }) => (
          <li key={area}>
            <Link href={at[area]()} aria-current={area === current ? 'page' : undefined}>
              <Icon aria-hidden />
              <span>{title}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
