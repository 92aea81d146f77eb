/** From the warnings of parsers and checks to diagnostics. */
import { compareText } from '../context/readable.ts';
import type { Warning } from '../warnings.ts';
import type { Diagnostic, ValidateResult } from './diagnostic.ts';
import { ruleOf } from './rules.ts';

const maxDiagnostics = 1_000;

/** Warnings about one file, each at a line that the file has; what concerns all of it stands at its beginning. */
export function placeInText(warnings: readonly Warning[], text: string): Warning[] {
  const lines = text.split('\n');
  if (lines.length > 1 && lines.at(-1) === '') lines.pop();
  return warnings.map((warning) => {
    const { line = 1, column = 1 } = warning;
    const placedLine = Math.min(line, lines.length);
    const end = (lines[placedLine - 1] ?? '').replace(/\r$/u, '').length + 1;
    return { ...warning, line: placedLine, column: placedLine < line ? end : Math.min(column, end) };
  });
}

/** A finding that exists because of an error in the file `causedBy`. */
export type Finding = Warning & { causedBy?: string };

/**
 * Diagnostics by path, line and column, each once, consequences below the first error of the file that causes them. Of too
 * many, warnings are left out first, and the last one says so.
 */
export function finishDiagnostics(findings: readonly Finding[]): ValidateResult {
  const unique = new Map(findings.map((finding) => [JSON.stringify(finding), finding]));
  const all = foldConsequences([...unique.values()]).sort(compareDiagnostics);
  const isError = ({ severity }: Diagnostic): boolean => severity === 'error';
  const valid = !all.some(isError);
  if (all.length <= maxDiagnostics) return { valid, diagnostics: all };
  const kept = new Set([...all.filter(isError), ...all.filter((each) => !isError(each))].slice(0, maxDiagnostics));
  const message = `Only ${maxDiagnostics} of ${all.length} findings are listed.`;
  const more = toDiagnostic({ code: 'more_diagnostics', message });
  return { valid, diagnostics: [...all.filter((each) => kept.has(each)), more] };
}

function foldConsequences(findings: readonly Finding[]): Diagnostic[] {
  const causes = new Map<string, Diagnostic>();
  const consequences = new Map<Diagnostic, Warning[]>();
  const own: Diagnostic[] = [];
  for (const { causedBy, ...warning } of findings) if (causedBy === undefined) own.push(toDiagnostic(warning));
  own.sort(compareDiagnostics);
  for (const each of own)
    if (each.severity === 'error' && each.path !== undefined && !causes.has(each.path)) causes.set(each.path, each);
  for (const { causedBy, ...warning } of findings) {
    if (causedBy === undefined) continue;
    const cause = causes.get(causedBy);
    // It may lie above the tree.
    if (cause === undefined) own.push(toDiagnostic(warning));
    else {
      const below = consequences.get(cause) ?? [];
      below.push(warning);
      consequences.set(cause, below);
    }
  }
  return own.map((each) => {
    const below = consequences.get(each)?.sort(compareDiagnostics);
    if (below === undefined) return each;
    const message = `Only ${maxDiagnostics} of ${below.length} consequences are listed.`;
    const more = below.length > maxDiagnostics ? [{ code: 'more_diagnostics', message }] : [];
    return { ...each, consequences: [...below.slice(0, maxDiagnostics), ...more] };
  });
}

function toDiagnostic(warning: Warning): Diagnostic {
  const { severity, mend } = ruleOf(warning.code);
  const message = mend === undefined ? warning.message : `${warning.message} ${mend}`;
  return { severity, ...warning, message };
}

function compareDiagnostics(a: Warning, b: Warning): number {
  return (
    compareText(a.path ?? '', b.path ?? '') ||
    (a.line ?? 0) - (b.line ?? 0) ||
    (a.column ?? 0) - (b.column ?? 0) ||
    compareText(a.code, b.code)
  );
}
