/** Finds mistakes in a file of contextd in an editor. */
import { type Diagnostic, DiagnosticSeverity } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { validateContent } from '../../validation/validate-content.ts';
import type { WrittenFile } from './written-file.ts';

/** As in `POST /v1/config/validate`. */
const longestText = 1024 * 1024;

export function diagnosticsOf(document: TextDocument, { kind, path }: WrittenFile): Diagnostic[] {
  const content = document.getText();
  if (content.length > longestText) return [];
  // In an editor, a carriage return alone ends a line too.
  const lines = content.split('\n');
  let end = 0;
  const starts = lines.map((line) => {
    const start = end;
    end += line.length + 1;
    return start;
  });
  return validateContent({ kind, content, path }).diagnostics.map(
    ({ severity, code, message, line = 1, column = 1 }) => {
      const start = (starts[line - 1] ?? 0) + column - 1;
      const rest = (lines[line - 1] ?? '').slice(column - 1).trimEnd();
      return {
        range: { start: document.positionAt(start), end: document.positionAt(start + rest.length) },
        severity: severity === 'error' ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
        code,
        source: 'contextd',
        message,
      };
    },
  );
}
