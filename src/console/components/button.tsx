import type { ComponentChildren, JSX } from 'preact';
import { Icon, type IconName } from './icon.tsx';

export interface ButtonProps {
  readonly children: ComponentChildren;
  readonly onClick?: (event: MouseEvent) => void;
  readonly kind?: 'primary' | 'plain' | 'danger' | 'quiet';
  readonly icon?: IconName;
  readonly type?: 'button' | 'submit';
  readonly isDisabled?: boolean;
  readonly title?: string;
}

export function Button(props: ButtonProps): JSX.Element {
  const { children, onClick, kind = 'plain', icon, type = 'button', isDisabled, title } = props;
  return (
    <button type={type} class={`button ${kind}`} onClick={onClick} disabled={isDisabled} title={title}>
      {icon && <Icon name={icon} size={16} />}
      <span>{children}</span>
    </button>
  );
}

export interface IconButtonProps {
  readonly icon: IconName;
  /** The name for screen readers, also shown as a tooltip. */
  readonly label: string;
  readonly onClick: (event: MouseEvent) => void;
  readonly isPressed?: boolean;
  readonly isDisabled?: boolean;
}

export function IconButton({ icon, label, onClick, isPressed, isDisabled }: IconButtonProps): JSX.Element {
  return (
    <button
      type="button"
      class="icon-button"
      title={label}
      aria-label={label}
      aria-pressed={isPressed}
      disabled={isDisabled}
      onClick={onClick}
    >
      <Icon name={icon} size={16} />
    </button>
  );
}
