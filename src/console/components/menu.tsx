import type { JSX } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';
import { nextTab } from './tabs.tsx';

export interface MenuItem {
  readonly label: string;
  readonly icon: IconName;
  readonly onClick: () => void;
  readonly isDanger?: boolean;
  readonly isDisabled?: boolean;
}

export interface MenuProps {
  /** The text of the button. If the button shows only an icon, its name for screen readers. */
  readonly label: string;
  readonly icon?: IconName;
  readonly isIconOnly?: boolean;
  readonly items: readonly MenuItem[];
}

/** A button with a menu below it. The browser closes it on Escape and on a click elsewhere. */
export function Menu({ label, icon = 'more', isIconOnly = false, items }: MenuProps): JSX.Element {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const first = items.find(({ isDisabled }) => isDisabled !== true);
  const entries = (): readonly HTMLElement[] => [
    ...(menu.current?.querySelectorAll<HTMLElement>('[role=menuitem]:not(:disabled)') ?? []),
  ];
  const opening = ({ newState }: Event & { readonly newState?: string }): void => {
    if (newState === 'open' && menu.current && button.current) {
      place(menu.current, { button: button.current.getBoundingClientRect(), itemCount: items.length });
    }
  };
  const move = (event: KeyboardEvent): void => {
    const list = entries();
    const at = list.indexOf(document.activeElement as HTMLElement);
    const target = nextTab(event.key, { at, count: list.length });
    if (event.key === 'Tab') menu.current?.hidePopover();
    if (target === undefined) return;
    event.preventDefault();
    list[target]?.focus();
  };
  const choose = (item: MenuItem): void => {
    menu.current?.hidePopover();
    item.onClick();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class={isIconOnly ? 'icon-button' : 'button plain'}
        aria-haspopup="menu"
        aria-label={isIconOnly ? label : undefined}
        title={isIconOnly ? label : undefined}
        popovertarget={id}
      >
        <Icon name={icon} size={16} />
        {!isIconOnly && <span>{label}</span>}
      </button>
      <div
        ref={menu}
        id={id}
        role="menu"
        aria-label={label}
        popover="auto"
        class="menu"
        onBeforeToggle={opening}
        onKeyDown={move}
      >
        {items.map((item) => (
          <button
            key={item.label}
            type="button"
            role="menuitem"
            tabIndex={-1}
            // Opening the menu moves the focus to its first item immediately, so that the next key is not lost.
            autofocus={item === first}
            class={`menu-item${item.isDanger ? ' danger' : ''}`}
            disabled={item.isDisabled}
            onClick={() => choose(item)}
          >
            <Icon name={item.icon} size={16} />
            <span>{item.label}</span>
          </button>
        ))}
      </div>
    </>
  );
}

const itemHeight = 34;

/** Below the button, or above it where there is no room. */
function place(
  menu: HTMLElement,
  { button, itemCount }: { readonly button: DOMRect; readonly itemCount: number },
): void {
  const height = itemCount * itemHeight + 12;
  const isAbove = button.bottom + height + 8 > window.innerHeight && button.top > height + 8;
  menu.style.top = `${isAbove ? button.top - height - 4 : button.bottom + 4}px`;
  menu.style.right = `${Math.max(8, document.documentElement.clientWidth - button.right)}px`;
}
