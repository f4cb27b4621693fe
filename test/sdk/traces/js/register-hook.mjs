// OpenTelemetry's loader hook, without which nothing of an ES module is instrumented.
import { register } from 'node:module';

register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
