// Statistics over the rounds of a measurement.

export function median(numbers) {
  return quantile(numbers, 0.5);
}

// Interpolates between the two nearest values. `share` is 0.25 for the lower quartile.
export function quantile(numbers, share) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)];
  return below + (sorted[Math.ceil(place)] - below) * (place % 1);
}

export function quartiles(numbers) {
  return { low: quantile(numbers, 0.25), middle: median(numbers), high: quantile(numbers, 0.75) };
}

export function geometricMean(numbers) {
  return Math.exp(numbers.reduce((sum, number) => sum + Math.log(number), 0) / numbers.length);
}
