import { odataError, ServiceError, type TextPlace } from '../model/service-error.ts';

// The refusals of a filter. The service parses filters with ODataLib and passes ODataLib's messages on to the client.
// Evidence: recorded where noted, otherwise assumed from the messages of ODataLib.

const at = (position: number): TextPlace => ({ start: position, end: position });

/** The refusal with this place, unless it already has a place. */
export function placed(error: ServiceError, { start, end }: TextPlace): ServiceError {
  if (error.place !== undefined) return error;
  const { code, stage, message, status } = error;
  return new ServiceError(code, { stage, message, status, why: () => error.why, place: { start, end } });
}

/** The message gives the end of the token that is wrong. Evidence: recorded. */
export function syntaxError({ start, end }: TextPlace, text: string): ServiceError {
  return odataError(`Syntax error at position ${end} in '${text}'.`, { start, end });
}

export interface InvalidLiteral {
  readonly type: string;
  readonly literalText: string;
  readonly position: number;
  readonly text: string;
}

/** Evidence: recorded for Edm.Int32. */
export function unrecognizedLiteral({ type, literalText, position, text }: InvalidLiteral): ServiceError {
  const place = { start: position, end: position + literalText.length };
  return odataError(`Unrecognized '${type}' literal '${literalText}' at '${position}' in '${text}'.`, place);
}

export function expressionExpected(position: number, text: string): ServiceError {
  return odataError(`Expression expected at position ${position} in '${text}'.`, at(position));
}

export function closingOrOperatorExpected(position: number, text: string): ServiceError {
  return odataError(`')' or operator expected at position ${position} in '${text}'.`, at(position));
}

export function closingOrCommaExpected(position: number, text: string): ServiceError {
  return odataError(`')' or ',' expected at position ${position} in '${text}'.`, at(position));
}

export function nestedTooDeep(): ServiceError {
  return odataError('Recursion depth exceeded allowed limit.');
}

export function tooLong(): ServiceError {
  return new ServiceError('InvalidInput', {
    stage: 'parse',
    why: 'The filter is too long or has too many comparisons.',
  });
}

export function unknownFunction(name: string): ServiceError {
  const hint = 'This may also be a key lookup on a navigation property, which is not allowed.';
  return odataError(`An unknown function with name '${name}' was found. ${hint}`);
}

/** How ODataLib names an unknown type: that of an open property, or of null. */
const noType = '<null>';

export interface BinaryOperands {
  readonly left: string | undefined;
  readonly right: string | undefined;
  readonly operatorKind: string;
}

/** Evidence: recorded for And. */
export function incompatibleOperands({ left, right, operatorKind }: BinaryOperands): ServiceError {
  const types = `'${left ?? noType}' and '${right ?? noType}'`;
  const found = `Found operand types ${types} for operator kind '${operatorKind}'.`;
  return odataError(`A binary operator with incompatible types was detected. ${found}`);
}

export function incompatibleOperand(type: string, operatorKind: string): ServiceError {
  const found = `Found operand type '${type}' for operator kind '${operatorKind}'.`;
  return odataError(`A unary operator with an incompatible type was detected. ${found}`);
}

export function notBoolean(): ServiceError {
  return odataError('The $filter expression must evaluate to a single boolean value.');
}

/** Evidence: recorded. */
export function nullNotOrdered(operatorKind: string): ServiceError {
  const allowed = 'only equality checks are supported.';
  return odataError(`The operator '${operatorKind}' is not supported for the 'null' literal; ${allowed}`);
}

/** The service detects this during execution: the response has Cache-Control. Evidence: recorded. */
export function nullCompared(): ServiceError {
  return new ServiceError('InvalidInput', { why: 'The filter compares with null.' });
}

/**
 * Returns the refusal of functions, arithmetic, and every comparison that does not compare one property with one
 * literal. Evidence: recorded.
 */
export function notImplemented(why = 'A filter compares one property with one value.'): ServiceError {
  return new ServiceError('NotImplemented', { why });
}
