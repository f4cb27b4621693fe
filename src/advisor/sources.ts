// The titles of the Microsoft pages on which the rules are based. A section is a heading on such a page. A detail may
// follow the heading after a colon.

import type { Source } from './report.ts';

const page =
  (document: string) =>
  (section: string): Source => ({ document, section });

export const targetsPage = page('Scalability and performance targets for Table storage');
export const checklistPage = page('Performance and scalability checklist for Table storage');
export const guidelines = page('Guidelines for table design');
export const queryingPage = page('Design for querying');
export const modificationPage = page('Design for data modification');
export const patternsPage = page('Table design patterns');
export const dataModelPage = page('Understanding the Table service data model');
export const transactionsPage = page('Performing entity group transactions');
export const pagingPage = page('Query timeout and pagination');
export const insertPage = page('Insert Entity');
export const deleteTablePage = page('Delete Table');
export const sharedAccessPage = page(
  'Grant limited access to Azure Storage resources using shared access signatures (SAS)',
);
export const teamBlog = page('Microsoft Azure Storage Team blog');
export const payloadPage = page('Payload format for Table service operations');
