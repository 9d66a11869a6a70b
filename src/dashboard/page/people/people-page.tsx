import { Users } from 'lucide-react';
import { EmptyState } from '../pieces/empty-state.tsx';
import { PageHead } from '../pieces/page-head.tsx';

export default function PeoplePage() {
  return (
    <>
      <PageHead title="Keys and people" />
      <EmptyState icon={Users} title="This page is not built yet">
        <p>Until then, POST /_emulator/accounts makes an account with a key.</p>
      </EmptyState>
    </>
  );
}
