import { ContextdError } from '../errors.ts';
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
