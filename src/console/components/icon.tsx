import type { JSX } from 'preact';

/** Outlines as SVG paths, on a grid of 24 by 24. */
const outlines = {
  table: 'M3 5h18v14H3zM3 10h18M3 14.5h18M9 10v9',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.3 15.3 21 21',
  pulse: 'M2 12h5l3-8 4 16 3-8h5',
  grid: 'M3 3h8v8H3zM13 3h8v8h-8zM3 13h8v8H3zM13 13h8v8h-8z',
  gauge: 'M4.2 18a9 9 0 1 1 15.6 0M12 14l4.5-5',
  bulb: 'M9 18h6M10 21h4M8 14.5A6 6 0 1 1 16 14.5c-.8.8-1 1.5-1 3.5H9c0-2-.2-2.7-1-3.5z',
  camera: 'M3 7h4l2-3h6l2 3h4v13H3zM12 9.5a3.7 3.7 0 1 0 0 7.4 3.7 3.7 0 0 0 0-7.4z',
  sliders: 'M4 7h9M17 7h3M15 4.5v5M4 17h3M11 17h9M9 14.5v5',
  plug: 'M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M5 19l2-2M17 7l2-2',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z',
  screen: 'M3 4h18v12H3zM8 20h8M12 16v4',
  copy: 'M8 8h12v12H8zM16 8V4H4v12h4',
  check: 'M4 12.5 9.5 18 20 6.5',
  close: 'M5 5l14 14M19 5 5 19',
  plus: 'M12 4v16M4 12h16',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5',
  edit: 'M4 20l1-4L16.5 4.5l3 3L8 19zM14 7l3 3',
  refresh: 'M20 11a8 8 0 1 0-2 6.3M20 4v7h-7',
  download: 'M12 3v12M7 10.5l5 5 5-5M4 20h16',
  upload: 'M12 16V4M7 8.5l5-5 5 5M4 20h16',
  book: 'M4 4h6a2 2 0 0 1 2 2v14a3 3 0 0 0-3-2H4zM20 4h-6a2 2 0 0 0-2 2v14a3 3 0 0 1 3-2h5z',
  warning: 'M12 3.5 22 20.5H2zM12 10v5M12 17.5v.5',
  error: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7.5v6M12 16v.5',
  info: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v6M12 7.5v.5',
  chevron: 'M9 5l7 7-7 7',
  up: 'M12 20V5M5.5 11.5 12 5l6.5 6.5',
  down: 'M12 4v15M5.5 12.5 12 19l6.5-6.5',
  columns: 'M3 5h18v14H3zM9 5v14M15 5v14',
  code: 'M8 7l-5 5 5 5M16 7l5 5-5 5',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5.5l3.5 2',
  pause: 'M8 5v14M16 5v14',
  play: 'M7 4l13 8-13 8z',
  more: 'M5 11.2a.8.8 0 1 0 0 1.6.8.8 0 0 0 0-1.6zM12 11.2a.8.8 0 1 0 0 1.6.8.8 0 0 0 0-1.6zM19 11.2a.8.8 0 1 0 0 1.6.8.8 0 0 0 0-1.6z',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
  key: 'M8 10a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM11.5 11.5 20 3M16 7l3 3',
  restore: 'M4 4v6h6M4.5 10A8.5 8.5 0 1 1 4 14',
} as const;

export type IconName = keyof typeof outlines;

/** Icons are decoration: the element that an icon belongs to must say the same in words. */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }): JSX.Element {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={outlines[name]} />
    </svg>
  );
}
