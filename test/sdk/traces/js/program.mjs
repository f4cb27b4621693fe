import { page, work } from './tracing.cjs';

// The SDK is loaded after the registration. A static import would load it before.
const { TableClient } = await import('@azure/data-tables');

await page(() => work(TableClient));
