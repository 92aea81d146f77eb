/**
 * Gathers context of the workspace for a request of a session, as for a prompt, in addition to the items of the session
 * (RQ-07).
 */
import type { Unsaved } from '../access/gate.ts';
import { isInside } from '../access/paths.ts';
import type { Agent } from '../agent/agent.ts';
import type { EngineCore } from '../engine-core.ts';
import { ContextdError } from '../errors.ts';
import type { Caller } from '../ports/caller.ts';
import type { OpenDocument } from '../prompt/context-request.ts';
import type { ContextResult } from '../prompt/context-result.ts';
import type { GatherContext } from '../prompt/context-verb.ts';
import { placeDocuments, unsavedOf } from '../prompt/documents.ts';
import { fixedLimits } from '../settings.ts';
import { cutQuery } from '../texts/longest-query.ts';
import type { Warning } from '../warnings.ts';
import type { NewRequest } from './request.ts';

/** Where to search. `documents` have absolute paths, the active one first. */
type Workspace = Readonly<{ mountedDirectory: string; documents: readonly OpenDocument[]; unsaved: Unsaved }>;

/**
 * The workspace context of a request. `gather` returns at most `maxTokens` tokens, without files that are already sent.
 */
export type WorkspaceContext = Readonly<{
  /** Documents of the mounted directory. */
  inPlay: readonly string[];
  workspace: Workspace | undefined;
  warnings: readonly Warning[];
  gather(maxTokens: number | undefined, without: ReadonlySet<string>): Promise<ContextResult | undefined>;
}>;

const nothing: WorkspaceContext = { inPlay: [], workspace: undefined, warnings: [], gather: async () => undefined };

/** Empty if the request asks for none. Throws `invalid_request` for an invalid path. */
export async function openWorkspaceContext(
  asked: NewRequest,
  agent: Agent,
  { core, caller, gatherContext }: { core: EngineCore; caller: Caller; gatherContext: GatherContext },
): Promise<WorkspaceContext> {
  const { documents = [], include, message } = asked;
  if (asked.documents === undefined && include === undefined) return nothing;
  const opened = await openWorkspace(agent, core, asked.documents === undefined ? '/include' : '/documents');
  if ('warning' in opened) return { ...nothing, warnings: [opened.warning] };
  const { mountedDirectory, world } = opened;
  const placed = await placeDocuments(documents, world);
  const { unsaved } = unsavedOf(placed, caller);
  const query = cutQuery(message);
  const { encoding } = asked.budget ?? {};
  return {
    inPlay: placed.flatMap(({ path }) => (isInside(mountedDirectory, path) ? [path] : [])),
    workspace: { mountedDirectory, documents: placed, unsaved },
    warnings: [],
    gather: (maxTokens = fixedLimits.context.promptTokens, without) =>
      gatherContext(
        {
          mountedDirectory,
          documents: placed,
          query,
          render: 'markdown',
          include: { ...include, rules: false },
          budget: { maxTokens, encoding },
        },
        { caller, without },
      ),
  };
}

/** The directory of the agent may be gone, as for its context files. Then there is a warning. */
async function openWorkspace({ mountedDirectory }: Agent, core: EngineCore, pointer: string) {
  if (mountedDirectory === undefined) {
    const message = 'No workspace context is sent: the agent has no mounted directory.';
    return { warning: { code: 'no_mounted_directory', message, pointer } satisfies Warning };
  }
  try {
    return await core.openWorkspace(mountedDirectory);
  } catch (error) {
    if (!(error instanceof ContextdError)) throw error;
    const message = `No workspace context is sent: ${error.message}`;
    return { warning: { code: error.code, message, path: mountedDirectory } satisfies Warning };
  }
}
