import { Images } from 'lucide-react';
import { EmptyState } from '../pieces/empty-state.tsx';
import { PageHead } from '../pieces/page-head.tsx';

export default function GalleryPage() {
  return (
    <>
      <PageHead title="Gallery" />
      <EmptyState icon={Images} title="This page is not built yet">
        <p>Until then, GET /_emulator/library lists what was rendered.</p>
      </EmptyState>
    </>
  );
}
