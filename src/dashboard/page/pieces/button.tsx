import type { ComponentProps, ReactNode } from 'react';

interface ButtonProps extends ComponentProps<'button'> {
  look?: 'plain' | 'primary' | 'danger' | 'quiet';
  icon?: ReactNode;
}

/** A button; one with an icon alone needs an `aria-label`. */
export function Button({ look = 'plain', icon, children, ...rest }: ButtonProps) {
  const hasText = children !== undefined;
  return (
    <button
      type="button"
      title={hasText ? undefined : rest['aria-label']}
      data-look={look}
      data-only-icon={hasText ? undefined : ''}
      {...rest}
      className="button"
    >
      {icon}
      {children}
    </button>
  );
}
