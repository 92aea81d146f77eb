/** Why servers are not started, for answers and for states. */
import { ContextdError } from '../errors.ts';
import type { McpFailure } from '../ports/mcp-launcher.ts';
import type { Reason } from '../warnings.ts';

/** The present definition of a server may not run. */
export class StartRefused extends ContextdError {
  readonly reason: Reason;

  constructor(reason: Reason) {
    const { code, detail = code } = reason;
    if (code === 'disabled') super('conflict', detail);
    else super('approval_required', `${detail} Look at it with: contextd mcp list`);
    this.reason = reason;
  }
}

/** Why a start failed, as the reason of a state. */
export function reasonOf(error: unknown): Reason {
  if (error instanceof StartRefused) return error.reason;
  if (error instanceof ContextdError) return { code: error.code, detail: error.message };
  return { code: 'internal' };
}

/** The error for callers when a server failed. */
export function upstream({ code, detail }: McpFailure): ContextdError {
  return new ContextdError(code === 'timeout' ? 'upstream_timeout' : 'upstream_failed', `The server failed: ${detail}`);
}
