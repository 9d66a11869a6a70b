import { Check, Copy } from 'lucide-react';
import { useCopy } from '../pieces/copy-button.tsx';

/** A value of the top bar that a click copies. */
export function CopyValue({ label, text, short }: { label: string; text: string; short: string }) {
  const { copied, copy } = useCopy();
  return (
    <button type="button" className="button" title={`Copy the ${label}: ${text}`} onClick={() => copy(text)}>
      <span className="unseen">Copy the {label}: </span>
      <code>{short}</code>
      {copied ? <Check aria-hidden data-done="" /> : <Copy aria-hidden />}
    </button>
  );
}
