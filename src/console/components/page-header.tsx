import type { ComponentChildren, JSX } from 'preact';

export interface PageHeaderProps {
  readonly title: ComponentChildren;
  readonly description?: ComponentChildren;
  /** Buttons and controls on the right. */
  readonly children?: ComponentChildren;
}

/** Every page begins with one; its heading gets the focus when the page is opened. */
export function PageHeader({ title, description, children }: PageHeaderProps): JSX.Element {
  return (
    <header class="page-header">
      <div class="page-title">
        <h1 tabIndex={-1}>{title}</h1>
        {description && <p class="muted">{description}</p>}
      </div>
      {children && <div class="toolbar">{children}</div>}
    </header>
  );
}
