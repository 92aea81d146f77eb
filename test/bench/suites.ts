/**
 * What the bench measures, by name. As a program it measures one of them and sends the figures to its parent: code that
 * another one has run, and memory that it has used, would change the figures. Arguments: name, empty directory.
 */
import { measureEvents } from './events.ts';
import type { Figure } from './figures.ts';
import { measureFiles } from './files.ts';
import { measureFleet } from './fleet.ts';
import { measureFormats } from './formats.ts';
import { measureGlobs } from './globs.ts';
import { measureHook } from './hook.ts';
import { measureLanguageServer } from './language-server.ts';
import { measureMcp } from './mcp.ts';
import { measurePolicy } from './policy.ts';
import { measureRepositorySize } from './repository-size.ts';
import { measureRetrieve } from './retrieve.ts';
import { measureSearch } from './search.ts';
import { measureSessions } from './sessions.ts';
import { measureStartup } from './startup.ts';
import { measureThroughput } from './throughput.ts';
import { measureTrust } from './trust.ts';
import { measureWords } from './words.ts';

export const suites: Record<string, (directory: string) => Figure[] | Promise<Figure[]>> = {
  startup: measureStartup,
  throughput: measureThroughput,
  repository: measureRepositorySize,
  formats: measureFormats,
  globs: measureGlobs,
  policy: measurePolicy,
  trust: measureTrust,
  events: measureEvents,
  sessions: measureSessions,
  fleet: measureFleet,
  files: measureFiles,
  words: measureWords,
  search: measureSearch,
  retrieve: measureRetrieve,
  mcp: measureMcp,
  hook: measureHook,
  lsp: measureLanguageServer,
};

if (import.meta.main) {
  const [name = '', directory = ''] = process.argv.slice(2);
  process.send?.(await suites[name]?.(directory));
  process.disconnect();
}
