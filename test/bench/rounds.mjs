// Measures in rounds. In each round, every server is measured for one slice. The slice of Tanzanite comes directly
// before or after the slice of each server that is compared with Tanzanite. Both sides of a ratio come from the same
// round, so that a noisy moment affects both sides. A figure is the median of these ratios.

import { measureSlice } from './slice.mjs';
import { quartiles } from './statistics.mjs';

const warmUpSeconds = 1;

// servers: { tanzanite, ceiling, azurite }. The bench measures those that are given.
export async function measureRounds({ servers, row, entities, hasOwnTables, generator, options }) {
  const { rounds, seconds, azuriteSeconds, isQuick } = options;
  const forward = [servers.ceiling, servers.tanzanite, servers.azurite].filter(Boolean);
  const slices = new Map(forward.map((server) => [server, []]));
  const measure = (server, sliceSeconds) =>
    measureSlice({ generator, server, row, entities, seconds: sliceSeconds, hasOwnTable: hasOwnTables });
  // A first slice is not counted: compilers and caches warm up.
  for (const server of isQuick ? [] : forward) await measure(server, warmUpSeconds);
  for (let round = 0; round < rounds; round++) {
    for (const server of round % 2 === 0 ? forward : forward.toReversed()) {
      const isShort = server === servers.azurite && !row.isSlow;
      slices.get(server).push(await measure(server, isShort ? azuriteSeconds : seconds));
    }
  }
  return summarise({ slices, servers });
}

function summarise({ slices, servers: { tanzanite, ceiling, azurite } }) {
  const rateOf = ({ ratePerSecond }) => ratePerSecond;
  const timeOf = ({ userUs, systemUs }) => userUs + systemUs;
  // The ratio is above 1 if Tanzanite is better: more requests, or less processor time per request.
  const compare = (peer) => {
    const pairs = slices.get(tanzanite).map((own, round) => [own, slices.get(peer)[round]]);
    return {
      rate: quartiles(pairs.map(([own, other]) => rateOf(own) / rateOf(other))),
      time: quartiles(pairs.map(([own, other]) => timeOf(other) / timeOf(own))),
    };
  };
  const middle = (list, figureOf) => quartiles(list.map(figureOf)).middle;
  return {
    ...(ceiling && { ofCeiling: compare(ceiling) }),
    ...(azurite && { timesAzurite: compare(azurite) }),
    servers: Object.fromEntries(
      [...slices].map(([{ name }, list]) => [
        name,
        {
          ratePerSecond: middle(list, rateOf),
          userUs: middle(list, ({ userUs }) => userUs),
          systemUs: middle(list, ({ systemUs }) => systemUs),
        },
      ]),
    ),
  };
}
