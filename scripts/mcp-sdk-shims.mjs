// Replaces `@modelcontextprotocol/server/_shims` in the bundle. The original module contains a copy of Ajv. The bundle
// does not need Ajv, because src/mcp names its own validator.

export { default as process } from 'node:process';

export class DefaultJsonSchemaValidator {
  constructor() {
    throw new Error('this bundle has no validator of the SDK: name one');
  }
}
