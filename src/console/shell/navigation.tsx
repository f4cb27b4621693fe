import type { JSX } from 'preact';
import { emulator } from '../client/emulator.ts';
import { Icon, type IconName } from '../components/icon.tsx';
import { hrefOf, route } from '../router.ts';
import { type Theme, theme, themes } from '../theme.ts';
import { pages } from './pages.ts';

const groups = [...new Set(pages.map(({ group }) => group))];

export function Navigation(): JSX.Element {
  const current = route.value.page || 'tables';
  return (
    <header class="side">
      <a class="brand" href={hrefOf(['tables'])} aria-label="Tanzanite, tables">
        <Logo />
        <span>Tanzanite</span>
      </a>
      <nav aria-label="Pages">
        {groups.map((group) => (
          <div key={group} class="nav-group">
            <p class="nav-heading" id={`nav-${group}`}>
              {group}
            </p>
            <ul aria-labelledby={`nav-${group}`}>
              {pages
                .filter((page) => page.group === group)
                .map(({ name, title, icon }) => (
                  <li key={name}>
                    <a class="nav-link" href={hrefOf([name])} aria-current={name === current ? 'page' : undefined}>
                      <Icon name={icon} />
                      <span>{title}</span>
                    </a>
                  </li>
                ))}
            </ul>
          </div>
        ))}
      </nav>
      <div class="side-foot">
        <a class="nav-link" href="/_emulator/docs">
          <Icon name="book" />
          <span>REST API</span>
        </a>
        <ThemeSwitch />
        <p class="version">Version {emulator.value?.version}</p>
      </div>
    </header>
  );
}

const themeIcons: Readonly<Record<Theme, IconName>> = { system: 'screen', light: 'sun', dark: 'moon' };
const themeLabels: Readonly<Record<Theme, string>> = {
  system: 'Colours of the system',
  light: 'Light colours',
  dark: 'Dark colours',
};

function ThemeSwitch(): JSX.Element {
  return (
    <fieldset class="theme-switch">
      <legend class="visually-hidden">Colours</legend>
      {themes.map((name) => (
        <label key={name} title={themeLabels[name]}>
          <input
            type="radio"
            name="theme"
            value={name}
            aria-label={themeLabels[name]}
            checked={theme.value === name}
            onChange={() => {
              theme.value = name;
            }}
          />
          <Icon name={themeIcons[name]} size={16} />
        </label>
      ))}
    </fieldset>
  );
}

export function Logo(): JSX.Element {
  return (
    <svg class="logo" viewBox="0 0 32 32" width="26" height="26" aria-hidden="true" focusable="false">
      <path class="logo-stone" d="M9 4h14l7 9-14 16L2 13z" />
      <path class="logo-edge" d="M9 4l7 9 7-9M2 13h28M16 13v16" />
    </svg>
  );
}
