import { Play } from 'lucide-react';
import { EmptyState } from '../pieces/empty-state.tsx';
import { PageHead } from '../pieces/page-head.tsx';

export default function PlaygroundPage() {
  return (
    <>
      <PageHead title="Playground" />
      <EmptyState icon={Play} title="This page is not built yet">
        <p>Until then, send requests with any client to the base URL above.</p>
      </EmptyState>
    </>
  );
}
