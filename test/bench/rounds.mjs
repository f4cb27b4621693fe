// Interleaved rounds: every server is measured for a short slice in each round, Tanzanite always next to both of its peers,
// and a figure is the median over rounds of the ratio within a round, so that a noisy moment falls on both sides.
import { drive } from './load.mjs';

const settleMs = 1_500;

// servers: { tanzanite, ceiling, azurite }; prepare({ server, round }) answers { next, status } for a slice.
export async function runRounds({ servers, prepare, rounds, sliceMs, connections }) {
  const forward = [servers.ceiling, servers.tanzanite, servers.azurite];
  const rates = new Map(forward.map((server) => [server, []]));
  let busiest = 0;
  for (let round = -1; round < rounds; round++) {
    const inTurn = round % 2 === 0 ? forward : forward.toReversed();
    for (const server of inTurn) {
      const slice = await prepare({ server, round });
      // Round -1 only warms compilers and caches.
      const times = round < 0 ? { durationMs: settleMs } : { warmUpMs: 200, durationMs: sliceMs };
      const { ratePerSecond, busy } = await drive({ port: server.port, connections, ...slice, ...times });
      if (round < 0) continue;
      rates.get(server).push(ratePerSecond);
      busiest = Math.max(busiest, busy);
    }
  }
  return { ...summarise({ rates, ...servers }), busiest };
}

function summarise({ rates, tanzanite, ceiling, azurite }) {
  const own = rates.get(tanzanite);
  const ratiosTo = (peer, of = own) => of.map((rate, round) => rate / rates.get(peer)[round]);
  return {
    ofCeiling: median(ratiosTo(ceiling)),
    ofCeilingRange: range(ratiosTo(ceiling)),
    timesAzurite: median(ratiosTo(azurite)),
    timesAzuriteRange: range(ratiosTo(azurite)),
    ceilingTimesAzurite: median(ratiosTo(azurite, rates.get(ceiling))),
    ratesPerSecond: Object.fromEntries([...rates].map(([server, list]) => [server.name, Math.round(median(list))])),
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
  const rates = Object.entries(ratesPerSecond).map(([name, rate]) => `${name} ${rate.toLocaleString('en-US')}`);
  console.log(`\n${title}`);
  console.log(
    `  of the ceiling  ${percent(ofCeiling)} (${ofCeilingRange.map(percent).join(' to ')})${verdict({ ofCeiling, floor })}`,
  );
  console.log(
    `  times Azurite   ${timesAzurite.toFixed(1)} (${timesAzuriteRange.map((n) => n.toFixed(1)).join(' to ')}); the ceiling itself ${ceilingTimesAzurite.toFixed(1)}`,
  );
  console.log(`  requests/s      ${rates.join(', ')}; the load generator was busy ${percent(busiest)} at most`);
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
