"""A page of an application: a span around the work of the client. At the end, the spans are printed as one line of JSON."""

import json
import os

from azure.core.settings import settings
from azure.core.tracing.ext.opentelemetry_span import OpenTelemetrySpan
from azure.data.tables import TableClient
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

exporter = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
trace.set_tracer_provider(provider)
settings.tracing_implementation = OpenTelemetrySpan


def work(client: TableClient) -> None:
    client.create_table()
    client.create_entity({"PartitionKey": "p", "RowKey": "r", "Age": 3})
    client.get_entity("p", "r")
    client.submit_transaction(
        [
            ("upsert", {"PartitionKey": "p", "RowKey": "a"}),
            ("upsert", {"PartitionKey": "p", "RowKey": "b"}),
        ]
    )
    list(client.query_entities("Age gt 2"))


with trace.get_tracer("page").start_as_current_span("page"):
    work(TableClient.from_connection_string(os.environ["AZURE_STORAGE_CONNECTION_STRING"], os.environ["TABLE"]))

print(
    json.dumps(
        [
            {
                "name": span.name,
                "traceId": format(span.context.trace_id, "032x"),
                "spanId": format(span.context.span_id, "016x"),
                "parentId": format(span.parent.span_id, "016x") if span.parent else None,
            }
            for span in exporter.get_finished_spans()
        ]
    )
)
