import { Menu } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { type Need, useNeeds } from '../data/needs.ts';
import { type Area, at } from '../data/paths.ts';
import { useIsPhone } from '../pieces/use-address.ts';
import { type AreaPage, shortTitle, shownAreas } from './areas.ts';

/** How many have a place in the bar of a phone; a page out of the others takes the last of them. */
const IN_BAR = 4;

/** All areas: at the left, on a phone some at the bottom and the others one tap away. */
export function Navigation({ current }: { current: Area | undefined }) {
  const isPhone = useIsPhone();
  const needs = useNeeds();
  if (isPhone) return <PhoneBar current={current} needs={needs} />;
  return (
    <nav className="navigation sunken" aria-label="Areas">
      <ul>
        {shownAreas().map((each) => (
          <li key={each.area}>
            <AreaLink {...each} isCurrent={each.area === current} need={needOf(needs, each.area)} />
          </li>
        ))}
      </ul>
    </nav>
  );
}

function PhoneBar({ current, needs }: { current: Area | undefined; needs: readonly Need[] }) {
  const [location] = useLocation();
  // Whoever goes to another page is done with the list.
  const [openAt, setOpenAt] = useState<string>();
  const isOpen = openAt === location;
  const first = shownAreas().slice(0, IN_BAR);
  const rest = shownAreas().slice(IN_BAR);
  const taken = rest.find(({ area }) => area === current) ?? rest[0];
  const others = rest.filter((each) => each !== taken);
  const waiting = others.filter(({ area }) => needOf(needs, area)).length;
  return (
    <nav className="navigation sunken" aria-label="Areas">
      {isOpen && (
        <ul className="more-areas">
          {others.map((each) => (
            <li key={each.area}>
              <AreaLink {...each} isCurrent={false} need={needOf(needs, each.area)} />
            </li>
          ))}
        </ul>
      )}
      <ul className="bar-areas">
        {[...first, ...(taken ? [taken] : [])].map((each) => (
          <li key={each.area}>
            <AreaLink
              {...each}
              title={shortTitle(each)}
              isCurrent={each.area === current}
              need={needOf(needs, each.area)}
            />
          </li>
        ))}
        <li>
          <button
            type="button"
            className="bare"
            aria-expanded={isOpen}
            onClick={() => setOpenAt(isOpen ? undefined : location)}
          >
            <Menu aria-hidden />
            <span className="area-name cut grow">More</span>
            {waiting > 0 && (
              <span className="badge area-need" data-tone="wait">
                {waiting}
              </span>
            )}
          </button>
        </li>
      </ul>
    </nav>
  );
}

function needOf(needs: readonly Need[], area: Area): Need | undefined {
  return needs.find((need) => need.area === area);
}

interface AreaLinkProps extends AreaPage {
  isCurrent: boolean;
  need: Need | undefined;
}

/** A mark beside a name says how much there needs somebody. */
function AreaLink({ area, title, icon: Icon, isCurrent, need }: AreaLinkProps) {
  return (
    <Link href={at[area]()} aria-current={isCurrent ? 'page' : undefined}>
      <Icon aria-hidden />
      <span className="area-name cut grow">{title}</span>
      {need && (
        <span className="badge area-need" data-tone={need.tone} aria-hidden title={need.text}>
          {need.n}
        </span>
      )}
    </Link>
  );
}
