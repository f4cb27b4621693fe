import { effect, signal } from '@preact/signals';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const storageName = 'tanzanite.theme';

/** What the user chose; `system` follows the setting of the machine. */
export const theme = signal<Theme>(
  themes.find((name) => name === window.localStorage.getItem(storageName)) ?? 'system',
);

const prefersDark = window.matchMedia('(prefers-color-scheme: dark)');
/** The theme that is shown. Charts read their colours again when it changes. */
export const isDark = signal(prefersDark.matches);

export function startTheme(): void {
  const systemDark = signal(prefersDark.matches);
  prefersDark.addEventListener('change', ({ matches }) => {
    systemDark.value = matches;
  });
  effect(() => {
    const dark = theme.value === 'dark' || (theme.value === 'system' && systemDark.value);
    document.documentElement.dataset['theme'] = dark ? 'dark' : 'light';
    isDark.value = dark;
    window.localStorage.setItem(storageName, theme.value);
  });
}
