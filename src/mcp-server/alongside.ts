/** What a model gets from a project: the rules, and other context if it asks for that. */
import { z } from 'zod';
import type { ContextRequest } from '../prompt/context-request.ts';

/** Like `include` of a request for context, but without defaults. */
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

/** The rules are those for all `files`. Other context is only about the first file. */
export function contextRequestOf(
  { files = [], ...asked }: Asked,
  { include = {}, budget }: { include: z.infer<typeof Alongside> | undefined; budget: ContextRequest['budget'] },
): ContextRequest {
  return { ...asked, documents: files.map((path) => ({ path })), include: { ...nothing, ...include }, budget };
}
