/** What of a project goes along with the context that applies, where a model asks for it. */
import { z } from 'zod';
import type { ContextResult } from '../prompt/context-result.ts';
import type { ContextVerbs } from './verbs.ts';

/** As `include` of a request for context, where nothing is meant that is not named. */
export const Alongside = z.strictObject({
  supplementary: z.boolean().optional(),
  imports: z.enum(['files', 'definitions', 'off']).optional(),
  search: z.boolean().optional(),
  changes: z.boolean().optional(),
  map: z.boolean().optional(),
});

const nothing = { rules: false, supplementary: false, imports: 'off', search: false } as const;

type Asked = { mountedDirectory: string; query?: string | undefined; files?: readonly string[] | undefined };

/** About the first of `files`. Throws as a request for context does. */
export function gatherAlongside(
  { mountedDirectory, query, files: [path] = [] }: Asked,
  {
    include,
    maxTokens,
    verbs,
    signal,
  }: {
    include: z.infer<typeof Alongside>;
    maxTokens: number;
    verbs: ContextVerbs;
    signal: AbortSignal;
  },
): Promise<ContextResult> {
  const documents = path === undefined ? [] : [{ path }];
  const budget = { maxTokens: Math.max(0, maxTokens) };
  return verbs.gather({ mountedDirectory, query, documents, include: { ...nothing, ...include }, budget }, signal);
}
