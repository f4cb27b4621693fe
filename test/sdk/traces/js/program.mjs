import { page, work } from './tracing.cjs';

// Loaded after the registration, as imports would be before it.
const { TableClient } = await import('@azure/data-tables');

await page(() => work(TableClient));
