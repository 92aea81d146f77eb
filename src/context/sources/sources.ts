/** All sources of context, weakest first. A new one is a file beside this and an entry here. */
import { contextDirectories } from './context-directory.ts';
import { globalDirectory } from './global.ts';
import { includedFiles } from './included.ts';
import { ruleFiles } from './rule-files.ts';
import type { ContextSource } from './source.ts';

export const contextSources: readonly ContextSource[] = [globalDirectory, ruleFiles, contextDirectories, includedFiles];
