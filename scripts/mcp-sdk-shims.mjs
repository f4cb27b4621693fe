// Replaces `@modelcontextprotocol/server/_shims` in the bundle, which includes a copy of Ajv: src/mcp names a validator.

export { default as process } from 'node:process';

export class DefaultJsonSchemaValidator {
  constructor() {
    throw new Error('this bundle has no validator of the SDK: name one');
  }
}
