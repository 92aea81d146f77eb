/** What a model gets of a project: its rules, and what else it asks for. */
import { z } from 'zod';
import type { ContextRequest } from '../prompt/context-request.ts';

/** As `include` of a request for context, where nothing is meant that is not named. */
export const Alongside = z.strictObject({
  supplementary: z.boolean().optional(),
  imports: z.enum(['files', 'definitions', 'off']).optional(),
  search: z.boolean().optional(),
  changes: z.boolean().optional(),
  map: z.boolean().optional(),
});

const nothing = { tabs: false, supplementary: false, imports: 'off', search: false } as const;

type Asked = Pick<ContextRequest, 'mountedDirectory' | 'workingDirectory' | 'query' | 'mentions' | 'expand'> & {
  files?: readonly string[] | undefined;
};

/** Rules for all of `files`; what goes along is about the first of them. */
export function contextRequestOf(
  { files = [], ...asked }: Asked,
  { include = {}, budget }: { include: z.infer<typeof Alongside> | undefined; budget: ContextRequest['budget'] },
): ContextRequest {
  return { ...asked, documents: files.map((path) => ({ path })), include: { ...nothing, ...include }, budget };
}
