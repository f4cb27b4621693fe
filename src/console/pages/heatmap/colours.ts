// The colours of the map go from dark to bright, so their order is also visible on paper, and to people who cannot see
// colours. The colours are those of matplotlib's "inferno", without its darkest part. The background of the map is dark
// in both themes, so bright always means hot.

type Rgb = readonly [red: number, green: number, blue: number];

const stops: readonly Rgb[] = [
  [52, 16, 98],
  [101, 21, 110],
  [147, 38, 103],
  [188, 55, 84],
  [221, 81, 58],
  [243, 120, 25],
  [252, 165, 10],
  [246, 215, 70],
  [252, 255, 164],
];

export const ground = '#0d0f17';
/** The colour of boundaries between ranges. */
export const boundaryColour = '#63e6e2';

/** The colour of a brightness from 0 to 1: `rgb(52 16 98)`. */
export function colourOf(brightness: number): string {
  const at = Math.max(0, Math.min(1, brightness)) * (stops.length - 1);
  const [low, high] = [stops[Math.floor(at)], stops[Math.ceil(at)]];
  const part = at - Math.floor(at);
  const mixed = [0, 1, 2].map((channel) =>
    Math.round((low?.[channel] ?? 0) * (1 - part) + (high?.[channel] ?? 0) * part),
  );
  return `rgb(${mixed.join(' ')})`;
}
