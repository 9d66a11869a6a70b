import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError } from '../data/call-api.ts';
import type { Tone } from './status-badge.tsx';

/** What went wrong, in the words of the emulator, and where. Nothing without an error. */
export function ErrorNotice({ error }: { error: unknown }) {
  if (!error) return null;
  const message = error instanceof Error ? error.message : String(error);
  return (
    <Notice tone="bad" code={error instanceof ApiError ? error.code : undefined}>
      {message}
    </Notice>
  );
}

interface NoticeProps {
  tone: Tone;
  code?: string | undefined;
  children: ReactNode;
}

/** A paragraph that stands out. */
export function Notice({ tone, code, children }: NoticeProps) {
  return (
    <div className="notice" data-tone={tone} role={tone === 'bad' ? 'alert' : 'status'}>
      <CircleAlert aria-hidden />
      <div className="grow">
        {code && (
          <code className="toned" data-tone={tone}>
            {code}{' '}
          </code>
        )}
        {children}
      </div>
    </div>
  );
}
