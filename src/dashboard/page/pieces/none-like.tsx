import { useQuery } from '@tanstack/react-query';
import { SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Found } from '../data/queries.ts';
import { formatNumber } from './credits.tsx';
import { EmptyState } from './empty-state.tsx';
import { useFilter } from './use-filter.ts';

interface NoneLikeProps {
  /** What is listed: `jobs`. */
  what: string;
  count: Found<unknown>['count'];
  children?: ReactNode;
}

/** Where none fits: what was searched, and the nearest searches that find something. */
export function NoneLike({ what, count, children }: NoneLikeProps) {
  const [q, setQ] = useFilter('q');
  const { data: offers = [] } = useQuery({
    queryKey: ['nearest', what, q],
    queryFn: async () => {
      const found = await Promise.all(nearestTo(q).map(async (each) => ({ q: each, n: await count(each) })));
      return found.filter(({ n }) => n > 0);
    },
    gcTime: 0,
  });
  return (
    <EmptyState icon={SearchX} title="None of these is like this">
      <p>
        {q === ''
          ? 'Change the filter above.'
          : `All ${what} on record were searched. Change the search or the filter.`}
      </p>
      {offers.length > 0 && (
        <ul className="row wrap" aria-label="Nearest searches">
          {offers.map((offer) => (
            <li key={offer.q}>
              <button type="button" className="button" onClick={() => setQ(offer.q)}>
                {offer.q} <span className="soft">{formatNumber(offer.n)} found</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {children}
    </EmptyState>
  );
}

/** The same with a word less; of a single word its beginnings. */
function nearestTo(q: string): string[] {
  const words = q.split(/\s+/).filter(Boolean);
  if (words.length > 1) return words.map((_, at) => words.toSpliced(at, 1).join(' '));
  const letters = Array.from(words[0] ?? '');
  const lengths = new Set([0.75, 0.5].map((share) => Math.ceil(letters.length * share)));
  return [...lengths]
    .filter((length) => length > 1 && length < letters.length)
    .map((n) => letters.slice(0, n).join(''));
}
