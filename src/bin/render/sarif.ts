/** Findings as a SARIF 2.1.0 log (OASIS), which code hosts and editors show beside the code (AP-08). */
import { isInside, relativePath } from '../../access/paths.ts';
import type { Diagnostic } from '../../validation/diagnostic.ts';
import { ruleOf } from '../../validation/findings.ts';
import type { Warning } from '../../warnings.ts';

type SarifOptions = { directory: string; version: string };

/** The log. Addresses of files are relative to `directory` (absolute). Findings without a file are notifications. */
export function sarifLog(diagnostics: readonly Diagnostic[], { directory, version }: SarifOptions) {
  const codes = [...new Set(diagnostics.map(({ code }) => code))].sort();
  const located = diagnostics.filter(({ path }) => path !== undefined);
  const others = diagnostics.filter(({ path }) => path === undefined);
  return {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'contextd', semanticVersion: version, rules: codes.map(ruleDescriptor) } },
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: { [base]: { description: { text: 'The directory that was checked.' } } },
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: others.map(({ code, message, severity }) => ({
              descriptor: { id: code },
              level: severity,
              message: { text: message },
            })),
          },
        ],
        results: located.map((diagnostic) => resultOf(diagnostic, codes.indexOf(diagnostic.code), directory)),
      },
    ],
  };
}

const base = 'CHECKED';

function ruleDescriptor(code: Diagnostic['code']) {
  const { title, severity, mend } = ruleOf(code);
  return {
    id: code,
    shortDescription: { text: `${title}.` },
    ...(mend === undefined ? {} : { help: { text: mend } }),
    defaultConfiguration: { level: severity },
  };
}

function resultOf(
  { code, severity, message, consequences, ...place }: Diagnostic,
  ruleIndex: number,
  directory: string,
) {
  return {
    ruleId: code,
    ruleIndex,
    level: severity,
    message: { text: message },
    locations: [locationOf(place, directory)],
    ...(consequences && {
      relatedLocations: consequences
        .filter(({ path }) => path !== undefined)
        .map((each) => ({
          ...locationOf(each, directory),
          message: { text: each.message },
        })),
    }),
  };
}

function locationOf({ path = '', line, column, pointer }: Omit<Warning, 'code' | 'message'>, directory: string) {
  return {
    physicalLocation: {
      artifactLocation: addressOf(path, directory),
      ...(line === undefined ? {} : { region: { startLine: line, startColumn: column ?? 1 } }),
    },
    ...(pointer === undefined ? {} : { logicalLocations: [{ fullyQualifiedName: pointer }] }),
  };
}

/** A relative address, or an absolute one for a file outside of the directory. */
function addressOf(path: string, directory: string): { uri: string; uriBaseId?: string } {
  const encode = (text: string): string => text.split('/').map(encodeSegment).join('/');
  if (!isInside(directory, path)) return { uri: `file://${encode(path)}` };
  const relative = relativePath(directory, path);
  return { uri: relative === '.' ? './' : encode(relative), uriBaseId: base };
}

/** Percent-encoded. Half of a surrogate pair, which cannot be encoded, becomes the replacement character. */
function encodeSegment(segment: string): string {
  return encodeURIComponent(segment.toWellFormed());
}
