// In the bundle in place of `@modelcontextprotocol/server/_shims`, which brings along a copy of Ajv: src/mcp names a validator.

export { default as process } from 'node:process';

export class DefaultJsonSchemaValidator {
  constructor() {
    throw new Error('this bundle has no validator of the SDK: name one');
  }
}
