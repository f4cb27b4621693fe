import { renderJunit } from './render-junit.ts';
import { renderMarkdown } from './render-markdown.ts';
import { renderSarif } from './render-sarif.ts';
import { renderText } from './render-text.ts';
import type { AdvisorReport } from './report.ts';

export type ReportFormat = 'text' | 'json' | 'markdown' | 'sarif' | 'junit';

export const reportFormats: readonly ReportFormat[] = ['text', 'json', 'markdown', 'sarif', 'junit'];

/** `columns`: the most characters of a line, for the format `text`. */
export function renderReport(report: AdvisorReport, format: ReportFormat, columns?: number): string {
  switch (format) {
    case 'text':
      return renderText(report, columns);
    case 'json':
      return `${JSON.stringify(report, undefined, 2)}\n`;
    case 'markdown':
      return renderMarkdown(report);
    case 'sarif':
      return renderSarif(report);
    case 'junit':
      return renderJunit(report);
  }
}
