// Registers OpenTelemetry and the instrumentation of Azure SDKs, which an application must do first. The spans stay in
// memory, and are printed at the end as one line of JSON.
const { registerInstrumentations } = require('@opentelemetry/instrumentation');
const { InMemorySpanExporter, SimpleSpanProcessor } = require('@opentelemetry/sdk-trace-base');
const { NodeTracerProvider } = require('@opentelemetry/sdk-trace-node');
const { createAzureSdkInstrumentation } = require('@azure/opentelemetry-instrumentation-azure-sdk');
const { trace } = require('@opentelemetry/api');

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
provider.register();
registerInstrumentations({ instrumentations: [createAzureSdkInstrumentation()] });

/** A page of an application: a span around the work of the client. */
exports.page = (work) =>
  trace.getTracer('page').startActiveSpan('page', async (span) => {
    await work();
    span.end();
    const spans = exporter.getFinishedSpans().map((one) => ({
      name: one.name,
      traceId: one.spanContext().traceId,
      spanId: one.spanContext().spanId,
      parentId: one.parentSpanContext?.spanId,
    }));
    console.log(JSON.stringify(spans));
  });

exports.work = async (TableClient) => {
  const options = { allowInsecureConnection: true };
  const client = TableClient.fromConnectionString(
    process.env.AZURE_STORAGE_CONNECTION_STRING,
    process.env.TABLE,
    options,
  );
  await client.createTable();
  await client.createEntity({ partitionKey: 'p', rowKey: 'r', Age: 3 });
  await client.getEntity('p', 'r');
  await client.submitTransaction([
    ['upsert', { partitionKey: 'p', rowKey: 'a' }],
    ['upsert', { partitionKey: 'p', rowKey: 'b' }],
  ]);
  for await (const _ of client.listEntities({ queryOptions: { filter: 'Age gt 2' } }));
};
