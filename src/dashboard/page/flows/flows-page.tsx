import { Workflow } from 'lucide-react';
import { EmptyState } from '../pieces/empty-state.tsx';
import { PageHead } from '../pieces/page-head.tsx';

export default function FlowsPage() {
  return (
    <>
      <PageHead title="Flows" />
      <EmptyState icon={Workflow} title="This page is not built yet">
        <p>Until then, GET /_emulator/flows lists flows.</p>
      </EmptyState>
    </>
  );
}
