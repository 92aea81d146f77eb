/** Why servers are not started, in the words of answers and of states. */
import { ContextdError } from '../errors.ts';
import type { McpFailure } from '../ports/mcp-launcher.ts';
import type { Reason } from '../warnings.ts';

/** A server may not run as it is defined now. */
export class StartRefused extends ContextdError {
  readonly reason: Reason;

  constructor(reason: Reason) {
    const { code, detail = code } = reason;
    if (code === 'disabled') super('conflict', detail);
    else super('approval_required', `${detail} Look at it with: contextd mcp list`);
    this.reason = reason;
  }
}

/** Why a start did not succeed, as a state says it. */
export function reasonOf(error: unknown): Reason {
  if (error instanceof StartRefused) return error.reason;
  if (error instanceof ContextdError) return { code: error.code, detail: error.message };
  return { code: 'internal' };
}

/** What a server did wrong, as a caller is told it. */
export function upstream({ code, detail }: McpFailure): ContextdError {
  return new ContextdError(code === 'timeout' ? 'upstream_timeout' : 'upstream_failed', `The server failed: ${detail}`);
}
