// Registers OpenTelemetry's loader hook. Without it, nothing that an ES module imports is instrumented.
import { register } from 'node:module';

register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
