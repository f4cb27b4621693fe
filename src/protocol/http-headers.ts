export type HttpHeader = readonly [name: string, value: string];

/** Headers in the order they are sent; a name may occur several times. */
export type HttpHeaders = readonly HttpHeader[];
