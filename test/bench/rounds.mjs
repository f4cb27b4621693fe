// Interleaved rounds: every server is measured for a short slice in each round, Tanzanite always next to both of its peers,
// and a figure is the median over rounds of the ratio within a round, so that a noisy moment falls on both sides.
import { drive } from './load.mjs';

const settleMs = 1_500;

// servers: { tanzanite, ceiling, azurite }, of which those that are there are measured. prepare({ server, round }) answers
// { next, status } and what else drive() takes for a slice; with `beside`, what runs next to it for as many milliseconds,
// and with `check`, what looks at the pages of the slice's first answers.
export async function runRounds({ servers, prepare, rounds, sliceMs, warmUpMs = 200, connections }) {
  const forward = [servers.ceiling, servers.tanzanite, servers.azurite].filter(Boolean);
  const slices = new Map(forward.map((server) => [server, []]));
  for (let round = -1; round < rounds; round++) {
    const inTurn = round % 2 === 0 ? forward : forward.toReversed();
    for (const server of inTurn) {
      const { beside, check, ...slice } = await prepare({ server, round });
      // Round -1 only warms compilers and caches.
      const times = round < 0 ? { durationMs: settleMs } : { warmUpMs, durationMs: sliceMs };
      const [driven] = await Promise.all([
        drive({ port: server.port, connections, ...slice, ...times }),
        beside?.((times.warmUpMs ?? 0) + times.durationMs),
      ]);
      for (const pages of driven.kept) check?.(pages);
      if (round >= 0) slices.get(server).push(driven);
    }
  }
  return summarise({ slices, ...servers });
}

function summarise({ slices, tanzanite, ceiling, azurite }) {
  const ratesOf = (server) => slices.get(server).map(({ ratePerSecond }) => ratePerSecond);
  const ratio = (server, peer) => {
    if (!server || !peer) return {};
    const peers = ratesOf(peer);
    const ratios = ratesOf(server).map((rate, round) => rate / peers[round]);
    return { middle: median(ratios), range: range(ratios) };
  };
  const byName = (figure) => Object.fromEntries([...slices].map(([server, list]) => [server.name, figure(list)]));
  const toCeiling = ratio(tanzanite, ceiling);
  const toAzurite = ratio(tanzanite, azurite);
  return {
    ofCeiling: toCeiling.middle,
    ofCeilingRange: toCeiling.range,
    timesAzurite: toAzurite.middle,
    timesAzuriteRange: toAzurite.range,
    ceilingTimesAzurite: ratio(ceiling, azurite).middle,
    ratesPerSecond: byName((list) => median(list.map(({ ratePerSecond }) => ratePerSecond))),
    latencyMs: byName((list) => ({
      p50: median(list.map(({ latencyMs }) => latencyMs.p50)),
      p99: median(list.map(({ latencyMs }) => latencyMs.p99)),
    })),
    busiest: Math.max(...[...slices.values()].flat().map(({ busy }) => busy)),
  };
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function printComparison({ title, floor, result }) {
  const { ofCeiling, ofCeilingRange, timesAzurite, timesAzuriteRange, ceilingTimesAzurite, ratesPerSecond, busiest } =
    result;
  const rates = Object.entries(ratesPerSecond).map(([name, rate]) => `${name} ${rateText(rate)}`);
  const latencies = Object.entries(result.latencyMs).map(
    ([name, { p50, p99 }]) => `${name} ${p50.toFixed(2)} / ${p99.toFixed(2)}`,
  );
  console.log(`\n${title}`);
  if (ofCeiling !== undefined)
    console.log(
      `  of the ceiling  ${percent(ofCeiling)} (${ofCeilingRange.map(percent).join(' to ')})${verdict({ ofCeiling, floor })}`,
    );
  if (timesAzurite !== undefined)
    console.log(
      `  times Azurite   ${timesAzurite.toFixed(1)} (${timesAzuriteRange.map((n) => n.toFixed(1)).join(' to ')})`,
    );
  if (ceilingTimesAzurite !== undefined)
    console.log(`  the ceiling     ${ceilingTimesAzurite.toFixed(1)} times Azurite`);
  console.log(`  requests/s      ${rates.join(', ')}; the load generator was busy ${percent(busiest)} at most`);
  console.log(`  p50 / p99 ms    ${latencies.join(', ')}`);
}

export function rateText(rate) {
  return rate.toLocaleString('en-US', { maximumFractionDigits: rate < 100 ? 1 : 0 });
}

export function percent(share) {
  return `${Math.round(share * 100)} %`;
}

function verdict({ ofCeiling, floor }) {
  if (floor === undefined) return '';
  return `, goal ${percent(floor)}: ${ofCeiling >= floor ? 'reached' : 'MISSED'}`;
}

function range(numbers) {
  return [Math.min(...numbers), Math.max(...numbers)];
}
