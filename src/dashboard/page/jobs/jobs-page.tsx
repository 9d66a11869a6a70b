import { ListChecks } from 'lucide-react';
import { EmptyState } from '../pieces/empty-state.tsx';
import { PageHead } from '../pieces/page-head.tsx';

export default function JobsPage() {
  return (
    <>
      <PageHead title="Jobs and time" />
      <EmptyState icon={ListChecks} title="This page is not built yet">
        <p>
          Until then, GET /_emulator/jobs lists renders, and PUT /_emulator/clock sets the clock.
        </p>
      </EmptyState>
    </>
  );
}
