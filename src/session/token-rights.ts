/** What the holder of a token for agents may not do in its own sessions, because its user is to decide it (S-15). */

import { refuseField } from '../errors.ts';
import type { Caller } from '../ports/caller.ts';
import type { HeldItem, SessionPatch } from './session.ts';

/** Throws `forbidden_scope` for settings that decide which calls of tools the user is asked about. */
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
 * Throws `forbidden_scope` for messages that only others write: the system, the user who approves, and, of a reply, the
 * request context, which is that of the request it answers.
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
        'Make a request and reply to it: the request context is kept with it.',
      );
  }
}

/** Throws `forbidden_scope` for an item that the agent has always. */
export function checkRemoval(caller: Caller, { includeMode }: HeldItem): void {
  if (caller.scope === 'user' || includeMode !== 'always') return;
  throw refuseField('forbidden_scope', '/name', 'Only the user can remove an item that the agent always includes.');
}
