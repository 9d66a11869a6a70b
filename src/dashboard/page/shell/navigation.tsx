import { Menu } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { type Area, at } from '../data/addresses.ts';
import { type Alert, useAlerts } from '../data/alerts.ts';
import { useIsPhone, useMedia } from '../data/browser.ts';
import { type AreaPage, shortTitle, visibleAreas } from './areas.ts';

/** How many areas the bar of a phone shows; the current page takes the last position if it is another one. */
const IN_BAR = 4;

/** The navigation: at the left, or at the bottom of a phone with a menu for the rest. */
export function Navigation({ current }: { current: Area | undefined }) {
  const isPhone = useIsPhone();
  const isRail = useMedia('(max-width: 1160px)');
  const alerts = useAlerts();
  const [location] = useLocation();
  // The menu closes when another page is opened.
  const [openAt, setOpenAt] = useState<string>();
  const isOpen = openAt === location;
  const alertOf = (area: Area) => alerts.find((alert) => alert.area === area);
  const linkTo = (each: AreaPage, title = each.title) => (
    <li key={each.area}>
      <AreaLink {...each} title={title} isCurrent={each.area === current} alert={alertOf(each.area)} />
    </li>
  );
  const all = visibleAreas();
  const taken = all.slice(IN_BAR).find(({ area }) => area === current) ?? all[IN_BAR];
  const inBar = [...all.slice(0, IN_BAR), ...(taken ? [taken] : [])];
  const others = all.filter((each) => !inBar.includes(each));
  const waiting = others.filter(({ area }) => alertOf(area)).length;
  return (
    <nav className="navigation sunken" aria-label="Areas">
      {!isPhone && <ul>{all.map((each) => linkTo(each, isRail ? shortTitle(each) : each.title))}</ul>}
      {isPhone && isOpen && <ul className="more-areas">{others.map((each) => linkTo(each))}</ul>}
      {isPhone && (
        <ul className="bar-areas">
          {inBar.map((each) => linkTo(each, shortTitle(each)))}
          <li>
            <button
              type="button"
              className="bare"
              aria-expanded={isOpen}
              onClick={() => setOpenAt(isOpen ? undefined : location)}
            >
              <Menu aria-hidden />
              <span className="area-name cut grow">More</span>
              {waiting > 0 && <AlertBadge tone="wait" n={waiting} text={`${waiting} of these`} />}
            </button>
          </li>
        </ul>
      )}
    </nav>
  );
}

interface AreaLinkProps extends AreaPage {
  isCurrent: boolean;
  alert: Alert | undefined;
}

/** A badge beside the name shows how many alerts the page has. */
function AreaLink({ area, title, icon: Icon, isCurrent, alert }: AreaLinkProps) {
  return (
    <Link href={at[area]()} aria-current={isCurrent ? 'page' : undefined}>
      <Icon aria-hidden />
      <span className="area-name cut grow">{title}</span>
      {alert && <AlertBadge {...alert} />}
    </Link>
  );
}

/** The number of alerts of an area. */
function AlertBadge({ tone, n, text }: Pick<Alert, 'tone' | 'n' | 'text'>) {
  return (
    <span className="badge area-alert" data-tone={tone} aria-hidden title={text}>
      {n}
    </span>
  );
}
