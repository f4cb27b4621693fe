/**
 * What an acknowledged write survives. `process`: the end of the process. `power`: a power failure too. `none`: neither is
 * guaranteed.
 */
export type Durability = 'process' | 'power' | 'none';
