/** What the holder of an agent token may not do in its own sessions, because the user decides it (S-15). */

import { refuseField } from '../errors.ts';
import type { Caller } from '../ports/caller.ts';
import type { HeldItem, SessionPatch } from './session.ts';

/** Throws `forbidden_scope` for settings that decide whether the user is asked before tool calls. */
export function checkToolPermission(
  caller: Caller,
  settings: { toolPermission?: unknown } | undefined,
  pointer = '',
): void {
  if (settings?.toolPermission === undefined || caller.scope === 'user') return;
  throw refuseField(
    'forbidden_scope',
    `${pointer}/toolPermission`,
    'Only the user can decide which tool calls need approval.',
  );
}

/**
 * Throws `forbidden_scope` for messages that only others write: messages of the system, approvals of the user, and
 * replies with a request context, which comes from the request.
 */
export function checkMessages(caller: Caller, messages: SessionPatch['appendMessages'] = []): void {
  if (caller.scope === 'user') return;
  for (const [index, message] of messages.entries()) {
    const pointer = `/appendMessages/${index}`;
    if (message.role === 'system' || message.role === 'approval')
      throw refuseField('forbidden_scope', `${pointer}/role`, 'Only the user can add messages with this role.');
    if (message.role === 'assistant' && message.requestContext !== undefined)
      throw refuseField(
        'forbidden_scope',
        `${pointer}/requestContext`,
        'Only the user can set the request context. Make a request and reply to it; the reply then gets its context.',
      );
  }
}

/** Throws `forbidden_scope` for an item that the agent always includes. */
export function checkRemoval(caller: Caller, { includeMode }: HeldItem): void {
  if (caller.scope === 'user' || includeMode !== 'always') return;
  throw refuseField('forbidden_scope', '/name', 'Only the user can remove an item that the agent always includes.');
}
