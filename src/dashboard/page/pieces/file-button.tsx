import type { LucideIcon } from 'lucide-react';
import { useRef } from 'react';
import { Button } from './button.tsx';

interface FileButtonProps {
  /** Without it the icon stands alone. */
  text?: string;
  /** What the files are for, for those who do not see it. */
  label: string;
  icon: LucideIcon;
  look?: 'plain' | 'primary';
  accept?: string;
  multiple?: boolean;
  disabled?: boolean;
  onChoose: (files: File[]) => void;
}

/** A button that takes files from the disk; the same ones can be chosen again. */
export function FileButton({ text, label, icon: Icon, look, disabled, onChoose, ...field }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        {...field}
        ref={input}
        type="file"
        hidden
        aria-label={label}
        onChange={({ target }) => {
          onChoose([...(target.files ?? [])]);
          target.value = '';
        }}
      />
      <Button
        look={look ?? 'plain'}
        icon={Icon}
        disabled={disabled ?? false}
        {...(text ? {} : { 'aria-label': label })}
        onClick={() => input.current?.click()}
      >
        {text}
      </Button>
    </>
  );
}
