import { ShieldAlert } from 'lucide-react';
import { Link } from 'wouter';
import { useNeeds } from '../data/needs.ts';

/** Armed fault rules, on every page: they are why the next request surprises. */
export function ArmedFaults() {
  const armed = useNeeds().find(({ area }) => area === 'faults');
  if (!armed) return null;
  return (
    <Link href={armed.href} className="button" data-look="quiet" data-tone="wait" title={armed.text}>
      <ShieldAlert aria-hidden />
      <span className="unseen">Faults: </span>
      {armed.n}
      <span className="wide-only">armed</span>
    </Link>
  );
}
