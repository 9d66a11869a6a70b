import type { ReactNode } from 'react';

/** Colour means a state and nothing else: well, failed or money out, waiting or struck by a fault. */
export type Tone = 'good' | 'bad' | 'wait' | 'plain' | 'work';

const TONES: Record<string, Tone> = {
  succeeded: 'good',
  done: 'good',
  delivered: 'good',
  enabled: 'good',
  failed: 'bad',
  queued: 'wait',
  processing: 'wait',
  running: 'wait',
  waiting: 'wait',
  pending: 'wait',
};

export function toneOfStatus(status: string | number): Tone {
  if (typeof status === 'string') return TONES[status] ?? 'plain';
  if (status === 0 || status >= 400) return 'bad';
  return status < 300 ? 'good' : 'plain';
}

/** A state in its colour: of a job, run or delivery, or the status of an answer. */
export function StatusBadge({ status }: { status: string | number }) {
  const text = status === 0 ? 'reset' : String(status);
  return <Badge tone={toneOfStatus(status)}>{text}</Badge>;
}

export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className="badge" data-tone={tone}>
      {children}
    </span>
  );
}
