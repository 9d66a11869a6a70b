import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { later } from '../data/browser-time.ts';

/** How long it says that it has copied, in milliseconds. */
const SAID = 1500;

/** Copies a text; `copied` is true for a moment after. */
export function useCopy(): { copied: boolean; copy: (text: string) => void } {
  const [copied, setCopied] = useState(false);
  const copy = (text: string) => {
    navigator.clipboard.writeText(text).then(
      () => {
        setCopied(true);
        later(SAID, () => setCopied(false));
      },
      () => window.prompt('This browser does not let the page copy. Copy it from here:', text),
    );
  };
  return { copied, copy };
}

/** A small button beside what it copies; `label` names that, as in "the id". */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const { copied, copy } = useCopy();
  const name = copied ? 'Copied' : `Copy ${label}`;
  return (
    <button
      type="button"
      className="copy bare"
      aria-label={name}
      title={name}
      data-done={copied ? '' : undefined}
      onClick={(event) => {
        event.stopPropagation();
        copy(text);
      }}
    >
      {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
    </button>
  );
}
