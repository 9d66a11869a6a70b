import { Braces } from 'lucide-react';
import { EmptyState } from '../pieces/empty-state.tsx';
import { PageHead } from '../pieces/page-head.tsx';

export default function ReferencePage() {
  return (
    <>
      <PageHead title="API reference" />
      <EmptyState icon={Braces} title="This page is not built yet">
        <p>Until then, GET /openapi.json has all of it.</p>
      </EmptyState>
    </>
  );
}
