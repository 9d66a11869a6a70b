import type { LucideIcon } from 'lucide-react';
import { type ComponentProps, type ReactNode, useRef } from 'react';
import { Link } from 'wouter';
import { recordSource } from '../data/call-api.ts';

interface ButtonProps extends ComponentProps<'button'> {
  text?: string | undefined;
  variant?: 'plain' | 'primary' | 'danger' | 'quiet' | undefined;
  icon?: LucideIcon | undefined;
  /** Beside an icon that has no text, where the window is wide. */
  word?: string | undefined;
  /** Hidden in a trace, where nothing can be changed. */
  isLiveOnly?: boolean;
}

/** A button; one with an icon alone needs an `aria-label`. */
export function Button(props: ButtonProps) {
  const { text, variant = 'plain', icon: Icon, word, title, isLiveOnly, children = text, ...rest } = props;
  if (isLiveOnly && recordSource.value) return null;
  const hasText = children !== undefined;
  const tooltip = title ?? (hasText ? undefined : rest['aria-label']);
  const small = hasText ? {} : { 'data-only-icon': '' };
  return (
    <button type="button" data-variant={variant} {...small} {...rest} title={tooltip} className="button">
      {Icon && <Icon aria-hidden />}
      {children ?? <WideWord word={word} />}
    </button>
  );
}

function WideWord({ word }: { word: string | undefined }) {
  return word === undefined ? null : <span className="wide-word">{word}</span>;
}

interface LinkButtonProps {
  href: string;
  text: string;
  icon?: LucideIcon;
  variant?: 'plain' | 'quiet';
  /** Shows the icon only. */
  isSmall?: boolean;
  /** Beside that icon, where the window is wide. */
  word?: string;
  /** A file to save, under this name or its own. */
  download?: string | true;
  title?: string;
  onClick?: () => void;
}

/** A link that looks like a button. */
export function LinkButton({ text, icon: Icon, variant, isSmall, word, title, ...rest }: LinkButtonProps) {
  const Tag = rest.download ? 'a' : Link;
  const small = isSmall && { 'data-only-icon': '', 'aria-label': text };
  return (
    <Tag {...rest} {...small} className="button" data-variant={variant} title={title ?? (isSmall ? text : undefined)}>
      {Icon && <Icon aria-hidden />} {isSmall ? <WideWord word={word} /> : text}
    </Tag>
  );
}

/** Renders its children for a live emulator only: in a trace nothing can be changed. */
export function LiveOnly({ children }: { children: ReactNode }) {
  return recordSource.value ? null : children;
}

interface FileButtonProps {
  /** Without a text only the icon is shown. */
  text?: string;
  /** The accessible name. */
  label: string;
  icon: LucideIcon;
  variant?: 'plain' | 'primary';
  accept?: string;
  multiple?: boolean;
  disabled?: boolean;
  onChoose: (files: File[]) => void;
}

/** A button that chooses files; the same ones can be chosen again. */
export function FileButton({ text, label, icon: Icon, variant, disabled, onChoose, ...field }: FileButtonProps) {
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
        variant={variant ?? 'plain'}
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
