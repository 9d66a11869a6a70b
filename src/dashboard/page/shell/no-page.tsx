import { Compass } from 'lucide-react';
import { Link } from 'wouter';
import { at } from '../data/paths.ts';
import { EmptyState } from '../pieces/empty-state.tsx';

/** An address that is none. */
export function NoPage() {
  return (
    <EmptyState icon={Compass} title="There is no page at this address" inRecord>
      <p>It may be of another version of the emulator.</p>
      <Link className="button" href={at.live()}>
        Go to Live
      </Link>
    </EmptyState>
  );
}
