import { Component, type ReactNode } from 'react';
import { Button } from '../pieces/button.tsx';
import { ErrorNotice } from '../pieces/error-notice.tsx';

interface PageFaultState {
  error?: unknown;
}

/** Keeps a fault of one area from taking the page along; after an update of the emulator, loading anew mends it. */
export class PageFault extends Component<{ children: ReactNode }, PageFaultState> {
  override state: PageFaultState = {};

  static getDerivedStateFromError(error: unknown): PageFaultState {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <div className="form stack padded">
        <ErrorNotice error={error} />
        <Button onClick={() => window.location.reload()}>Load the page anew</Button>
      </div>
    );
  }
}
