import { Coins } from 'lucide-react';
import { EmptyState } from '../pieces/empty-state.tsx';
import { PageHead } from '../pieces/page-head.tsx';

export default function MoneyPage() {
  return (
    <>
      <PageHead title="Money" />
      <EmptyState icon={Coins} title="This page is not built yet">
        <p>Until then, GET /_emulator/accounts/ID/usage lists the ledger.</p>
      </EmptyState>
    </>
  );
}
