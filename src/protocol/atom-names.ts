/** The namespaces of an Atom document. Evidence: recorded. */
export const atomNamespace = 'http://www.w3.org/2005/Atom';
export const propertyNamespace = 'http://schemas.microsoft.com/ado/2007/08/dataservices';
export const metadataNamespace = 'http://schemas.microsoft.com/ado/2007/08/dataservices/metadata';
export const categoryScheme = 'http://schemas.microsoft.com/ado/2007/08/dataservices/scheme';

/** Content-Type of an answer. Evidence: recorded. */
export const atomEntryContentType = 'application/atom+xml;type=entry;charset=utf-8';
export const atomFeedContentType = 'application/atom+xml;type=feed;charset=utf-8';
