/** Shows a server in answers: secrets masked, everything else exact (S-19, S-26). */
import type { McpServerState } from '../events/event.ts';
import type { Root, ToolServer } from '../ports/ports.ts';
import { maskUrl, maskUserInfo, maskValue } from '../texts/mask.ts';
import { shortenList } from '../texts/shorten.ts';
import type { Reason } from '../warnings.ts';
import type { Approval } from './approvals.ts';
import { isShownValue } from './code-variables.ts';
import { dangersOf } from './danger.ts';
import { listCommand, type ServerDefinition, startCommand, transportOf } from './definition.ts';
import type { Shadowed } from './definitions.ts';
import { onlyNames } from './fill-in.ts';
import { changedFields, changesBetween, type Fingerprinted } from './fingerprint.ts';
import type { McpServerEntry } from './server-requests.ts';
import { notStarted, type RunStatus, stoppedByUser } from './server-runs.ts';
import { asSentence } from './start-refused.ts';
import type { WithheldTool } from './tool-lists.ts';

/** The present definition of a server, and its approval, which may be for another definition. */
export type Current = Readonly<{
  definition: ServerDefinition;
  fingerprinted: Fingerprinted;
  approval: Approval | undefined;
  roots: readonly Root[];
  /**
   * If each start needs an approval: whether this one is still valid for a start, or has started the running server.
   */
  mayStart: boolean;
}>;

/** Why a server may not be started. Undefined if it may. */
export function objectionTo({ definition, fingerprinted, approval, mayStart }: Current): Reason | undefined {
  const { problem, fingerprint, parts } = fingerprinted;
  if (definition.server.disabled === true) return disabled;
  if (fingerprinted.unresolved) return { code: 'unresolved_variable', detail: problem ?? '' };
  if (problem !== undefined) return { code: 'not_approvable', detail: problem };
  if (approval === undefined)
    return { code: 'approval_required', detail: 'This definition is not approved on this machine.' };
  if (approval.fingerprint !== fingerprint) {
    const fields = changedFields(approval.parts, parts);
    return { code: 'approval_stale', detail: `It changed since it was approved: ${shortenList(fields, 8)}.` };
  }
  if (fingerprinted.eachStart === true && !mayStart)
    return {
      code: 'approval_stale',
      detail: 'Its directory has too many files to compare. Each start needs an approval.',
    };
  return undefined;
}

/** Why sessions cannot use the tools of an approved server. Undefined if they can, whether it is running or not. */
export function missingTools(current: Current, { state, reason }: RunStatus): ToolServer['missing'] {
  const named = `The MCP server "${current.definition.name}"`;
  const anew = `${named} is left out with its tools: it needs a new approval. To see what changed: ${listCommand(current.definition)}`;
  if (objectionTo(current) !== undefined) return { code: 'tools_need_approval', detail: anew };
  if (current.approval?.tools !== undefined) return undefined;
  const unknown = `${named} has not listed its tools since it was approved`;
  const isStoppedByUser = state === 'stopped' && reason.code === stoppedByUser.code;
  if (state !== 'failed' && !isStoppedByUser)
    return {
      code: 'tools_pending',
      detail: `${unknown}. Sessions and requests start it; a later request has the tools.`,
    };
  const why = isStoppedByUser ? 'the user stopped it.' : (reason.detail ?? reason.code);
  return {
    code: 'tools_unavailable',
    detail: `${unknown}: ${asSentence(why)} Start it with: ${startCommand(current.definition.id)}`,
  };
}

/** Names the tools of a server that wait for an approval. Undefined if there are none. */
export function changedTools(
  { id, name }: ServerDefinition,
  withheld: readonly WithheldTool[],
): ToolServer['withheld'] {
  const names = changedAmong(withheld).map((tool) => tool.name);
  if (names.length === 0) return undefined;
  const named = `The MCP server "${name}" has tools that are left out until you approve them: ${shortenList(names, 8)}.`;
  return { code: 'tools_need_approval', detail: `${named} To see what changed: contextd mcp tools ${id}` };
}

const approvalMissing: ReadonlySet<string> = new Set([
  'not_approvable',
  'unresolved_variable',
  'approval_required',
  'approval_stale',
]);
const disabled: Reason = { code: 'disabled', detail: 'Its definition disables it.' };

export function showServer(
  current: Current,
  more: {
    status: RunStatus;
    tools: number;
    withheld: readonly WithheldTool[];
    shadows?: readonly Shadowed[];
    alsoDefinedIn?: readonly string[];
    shown?(path: string): string;
  },
): McpServerEntry {
  const { shown = (path) => path } = more;
  const { definition, fingerprinted, approval, roots } = current;
  const { server, id, name, scope, definedIn } = definition;
  const { fingerprint, filledIn, parts, executable, problem, unverifiable } = fingerprinted;
  const isApproved = approval?.fingerprint === fingerprint;
  const changes = approval === undefined || isApproved ? [] : changesBetween(approval.parts, parts);
  const masked = (values: Record<string, string>, isShown: (name: string) => boolean = () => false) =>
    Object.fromEntries(
      Object.entries(values).map(([key, value]) => {
        const isNoSecret = isShown(key) || onlyNames(value, definition);
        return [key, isNoSecret ? maskUserInfo(value) : maskValue(value)];
      }),
    );
  const files = Object.entries(parts).flatMap(([field, sha256]) =>
    field.startsWith('files.') ? [{ path: field.slice('files.'.length), sha256 }] : [],
  );
  return {
    id,
    name,
    transport: transportOf(server),
    ...stateOf(current, more),
    fingerprint,
    approvable: problem === undefined,
    ...(isApproved ? { approvedAt: approval.approvedAt } : {}),
    ...(approval === undefined ? {} : { approvedFingerprint: approval.fingerprint }),
    ...(changes.length === 0 ? {} : { changes }),
    definedIn: scope === 'agent' ? definedIn : shown(definedIn),
    scope,
    ...(more.alsoDefinedIn && { alsoDefinedIn: [...more.alsoDefinedIn] }),
    ...('command' in server
      ? {
          command: [server.command, ...(server.args ?? [])],
          ...(executable === undefined ? {} : { program: shown(executable) }),
          cwd: shown(parts.cwd ?? definition.cwd),
          ...(server.env === undefined ? {} : { env: masked(server.env, isShownValue) }),
        }
      : { url: maskUrl(server.url), ...(server.headers === undefined ? {} : { headers: masked(server.headers) }) }),
    files: files.map(({ path, sha256 }) => ({ path: shown(path), sha256 })),
    danger: dangersOf(filledIn, { executable, roots, files: files.map(({ path }) => path) }),
    ...(unverifiable === undefined ? {} : { unverifiable }),
    ...(more.shadows === undefined || more.shadows.length === 0 ? {} : { shadows: [...more.shadows] }),
    tools: more.tools,
    withheldTools: more.withheld.length,
  };
}

function stateOf(
  current: Current,
  { status, withheld }: { status: RunStatus; withheld: readonly WithheldTool[] },
): Pick<McpServerEntry, 'state' | 'reason'> {
  const objection = objectionTo(current);
  if (objection) return { state: stateBy(objection), reason: objection };
  const changed = toolsChanged(withheld);
  if (status.state === 'ready' && changed !== undefined) return { state: 'ready', reason: changed };
  // The reason for which it was stopped no longer exists.
  if (shownState(status) !== status.state) return notStarted;
  return status;
}

/** The state of a server for lists. A server that was stopped because it may not run shows that reason. */
export function shownState({ state, reason }: RunStatus): McpServerState {
  return state === 'stopped' ? stateBy(reason) : state;
}

/** The state of a server that does not run for this reason. */
function stateBy({ code }: Reason): 'disabled' | 'needs_approval' | 'stopped' {
  if (code === disabled.code) return 'disabled';
  return approvalMissing.has(code) ? 'needs_approval' : 'stopped';
}

/** The reason if tools wait for an approval. No approval makes the other withheld tools usable. */
export function toolsChanged(withheld: readonly WithheldTool[]): Reason | undefined {
  const { length } = changedAmong(withheld);
  if (length === 0) return undefined;
  return { code: 'tools_changed', detail: `${length} ${length === 1 ? 'tool is' : 'tools are'} withheld.` };
}

function changedAmong(withheld: readonly WithheldTool[]): WithheldTool[] {
  return withheld.filter(({ reason }) => reason.code === 'tools_changed');
}
