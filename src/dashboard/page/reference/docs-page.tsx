import { BookOpen } from 'lucide-react';
import { EmptyState } from '../pieces/empty-state.tsx';
import { PageHead } from '../pieces/page-head.tsx';

export default function DocsPage() {
  return (
    <>
      <PageHead title="Docs" />
      <EmptyState icon={BookOpen} title="This page is not built yet">
        <p>Until then, the pages are in the docs folder of the package's repository.</p>
      </EmptyState>
    </>
  );
}
