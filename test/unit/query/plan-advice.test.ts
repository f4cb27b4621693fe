import { describe, expect, it } from 'vitest';
import { planQuery } from '../../../src/query/plan.ts';
import { planAdvice } from '../../../src/query/plan-advice.ts';
import { createFilterReader } from '../../../src/query/read-filter.ts';

const { readFilter } = createFilterReader();
const advise = (filter: string): string => planAdvice(planQuery(readFilter(filter))) ?? 'none';

describe('The advice on a plan', () => {
  it.each([
    ["PartitionKey eq 'a' and RowKey eq '1'", /^none$/],
    ["PartitionKey eq 'a' and RowKey ge '1' and Age gt 5", /^none$/],
    ["PartitionKey eq 'a' and Age gt 5", /^bound RowKey/],
    ["PartitionKey eq 'a' and RowKey ne '1'", /^bound RowKey/],
    ["PartitionKey eq 'a' and (RowKey eq '1' or RowKey eq '2')", /point query for each key, in parallel/],
    ["PartitionKey eq 'a' and (RowKey eq '1' or Age gt 5)", /^bound RowKey/],
    ["PartitionKey eq 'a' or PartitionKey eq 'b'", /query for each key, in parallel/],
    ["(PartitionKey eq 'a' and RowKey eq '1') or (PartitionKey eq 'b' and RowKey eq '2')", /for each key, in parallel/],
    ["PartitionKey ge 'a' and PartitionKey lt 'b'", /^pin PartitionKey .* for each partition, in parallel/],
    ["Email eq 'x' and Age gt 5", /second table keyed by Email$/],
    ["partitionKey eq 'x'", /^partitionKey is not PartitionKey: case counts$/],
    ["PartitionKey eq 'a' and (Age gt 5 or ROWKEY eq 'x')", /^ROWKEY is not RowKey: case counts$/],
    ["Name eq 'partitionkey'", /second table keyed by Name$/],
    ["RowKey eq '1'", /second table keyed by RowKey$/],
    ['not (IsOld)', /second table keyed by IsOld$/],
    ["PartitionKey ne 'a'", /second table keyed by the property you look for$/],
    ['', /^add a condition PartitionKey eq/],
  ])('is right for %j', (filter, advice) => {
    expect(advise(filter)).toMatch(advice);
  });
});
