/**
 * What an acknowledged write survives. `process`: the death of the process. `power`: also the loss of power.
 * `none`: neither is promised.
 */
export type Durability = 'process' | 'power' | 'none';
