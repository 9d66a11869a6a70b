import { ShieldAlert } from 'lucide-react';
import { EmptyState } from '../pieces/empty-state.tsx';
import { PageHead } from '../pieces/page-head.tsx';

export default function FaultsPage() {
  return (
    <>
      <PageHead title="Faults and snapshots" />
      <EmptyState icon={ShieldAlert} title="This page is not built yet">
        <p>Until then, POST /_emulator/faults makes a rule.</p>
      </EmptyState>
    </>
  );
}
