/** Why servers are not started, for answers and for states. */
import { ContextdError } from '../errors.ts';
import type { McpFailure } from '../ports/mcp-launcher.ts';
import type { Reason } from '../warnings.ts';
import { listCommand, type ServerDefinition } from './definition.ts';

/** The present definition of a server may not run. */
export class StartRefused extends ContextdError {
  readonly reason: Reason;

  /** `definition`: the definition that may not run, if it is at hand. */
  constructor(reason: Reason, definition?: ServerDefinition) {
    const { code, detail = code } = reason;
    const look = definition === undefined ? 'contextd mcp list' : listCommand(definition);
    if (code === 'disabled') super('conflict', detail);
    else super('approval_required', `${detail} Look at it with: ${look}`);
    this.reason = reason;
  }
}

/** What a server said last, or a path, ends as it likes. */
export const asSentence = (text: string): string => (/[.!?…]$/u.test(text) ? text : `${text}.`);

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
