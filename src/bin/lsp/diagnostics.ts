/** What is wrong in a file that people write for contextd, as it stands in an editor. */
import { type Diagnostic, DiagnosticSeverity } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { validateContent } from '../../validation/validate-content.ts';
import type { WrittenFile } from './written-file.ts';

/** As `POST /v1/config/validate` has it. */
const longestText = 1024 * 1024;

export function diagnose(document: TextDocument, { kind, path }: WrittenFile): Diagnostic[] {
  const content = document.getText();
  if (content.length > longestText) return [];
  return validateContent({ kind, content, path }).diagnostics.map(
    ({ severity, code, message, line = 1, column = 1 }) => {
      const start = { line: line - 1, character: column - 1 };
      const rest = document.getText({ start, end: { line, character: 0 } }).trimEnd();
      return {
        range: { start, end: { line: start.line, character: start.character + rest.length } },
        severity: severity === 'error' ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
        code,
        source: 'contextd',
        message,
      };
    },
  );
}
