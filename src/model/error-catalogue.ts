/**
 * The status and the text of every error of the table service, by error code. The texts are the service's own,
 * including spelling mistakes. If an error code has several texts, this list contains the most frequent one.
 * InvalidAuthenticationInfo has two statuses, and the list contains the more frequent one. The module that throws an
 * error can pass another text or status. Evidence: documented (Table Storage error codes, Common REST API error codes);
 * recorded where the service differs from these pages.
 */
export const errorCatalogue = {
  AtomFormatNotSupported: [415, 'Atom format is not supported.'],
  AuthenticationFailed: [
    403,
    'Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature.',
  ],
  AuthorizationFailure: [403, 'This request is not authorized to perform this operation.'],
  AuthorizationPermissionMismatch: [
    403,
    'This request is not authorized to perform this operation using this permission.',
  ],
  AuthorizationProtocolMismatch: [403, 'This request is not authorized to perform this operation using this protocol.'],
  AuthorizationResourceTypeMismatch: [
    403,
    'This request is not authorized to perform this operation using this resource type.',
  ],
  AuthorizationServiceMismatch: [403, 'This request is not authorized to perform this operation using this service.'],
  AuthorizationSourceIPMismatch: [
    403,
    'This request is not authorized to perform this operation using this source IP.',
  ],
  CommandsInBatchActOnDifferentPartitions: [400, 'All commands in a batch must operate on same entity group.'],
  ConditionNotMet: [412, 'The condition specified using HTTP conditional header(s) is not met.'],
  CorsPreflightFailure: [403, 'CORS not enabled or no matching rule found for this request.'],
  DuplicatePropertiesSpecified: [400, 'A property is specified more than one time.'],
  EntityAlreadyExists: [409, 'The specified entity already exists.'],
  EntityTooLarge: [400, 'The entity is larger than the maximum allowed size (1MB).'],
  HostInformationNotPresent: [
    400,
    'The required host information is not present in the request. You must send a non-empty Host header or include the absolute URI in the request line.',
  ],
  InsufficientAccountPermissions: [403, 'Write operations are not allowed.'],
  InternalError: [500, 'Server encountered an internal error. Please try again after some time.'],
  InvalidAuthenticationInfo: [
    400,
    'Authentication information is not given in the correct format. Check the value of Authorization header.',
  ],
  InvalidDuplicateRow: [
    400,
    'The batch request contains multiple changes with same row key. An entity can appear only once in a batch request.',
  ],
  InvalidHeaderValue: [400, 'The value for one of the HTTP headers is not in the correct format.'],
  InvalidInput: [400, 'One of the request inputs is not valid.'],
  InvalidQueryParameterValue: [400, 'Value for one of the query parameters specified in the request URI is invalid.'],
  InvalidResourceName: [400, 'The specifed resource name contains invalid characters.'],
  InvalidUri: [400, 'The requested URI does not represent any resource on the server.'],
  InvalidXmlDocument: [400, 'XML specified is not syntactically valid.'],
  InvalidXmlNodeValue: [400, 'The value for one of the XML nodes is not in the correct format.'],
  JsonFormatNotSupported: [415, 'JSON format is not supported.'],
  JsonVerboseFormatNotSupported: [415, 'JSON Verbose format is not supported.'],
  MediaTypeNotSupported: [415, 'None of the provided media types are supported'],
  MethodNotAllowed: [405, 'The requested method is not allowed on the specified resource.'],
  MissingContentLengthHeader: [411, 'The Content-Length header was not specified.'],
  NoAuthenticationInformation: [
    401,
    'Server failed to authenticate the request. Please refer to the information in the www-authenticate header.',
  ],
  NotImplemented: [501, 'The requested operation is not implemented on the specified resource.'],
  OperationTimedOut: [500, 'Operation could not be completed within the specified time.'],
  OutOfRangeInput: [400, 'One of the request inputs is out of range.'],
  PropertiesNeedValue: [400, 'The values are not specified for all properties in the entity.'],
  PropertyNameInvalid: [400, 'The property name is invalid.'],
  PropertyNameTooLong: [400, 'The property name exceeds the maximum allowed length (255).'],
  PropertyValueTooLarge: [
    400,
    'The property value exceeds the maximum allowed size (64KB). If the property value is a string, it is UTF-16 encoded and the maximum number of characters should be 32K or less.',
  ],
  RequestBodyTooLarge: [413, 'The request body is too large and exceeds the maximum permissible limit.'],
  ResourceNotFound: [404, 'The specified resource does not exist.'],
  ServerBusy: [503, 'The server is busy.'],
  TableAlreadyExists: [409, 'The table specified already exists.'],
  TableBeingDeleted: [409, 'The specified table is being deleted. Try operation later.'],
  TableNotFound: [404, 'The table specified does not exist.'],
  TooManyProperties: [
    400,
    'The entity contains more properties than allowed. Each entity can include up to 252 properties to store data. Each entity also has 3 system properties.',
  ],
  UpdateConditionNotSatisfied: [412, 'The update condition specified in the request was not satisfied.'],
  XMethodIncorrectCount: [400, 'More than one X-HTTP-Method is specified.'],
  XMethodIncorrectValue: [400, 'The specified X-HTTP-Method is invalid.'],
  XMethodNotUsingPost: [400, 'The request uses X-HTTP-Method with an HTTP verb other than POST.'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type ErrorCode = keyof typeof errorCatalogue;
