/** A policy file as a caller wants it to be, checked before anything is done with it (AP-09). */

import { ContextdError } from '../errors.ts';
import { decodeText } from '../texts/decode-text.ts';
import { consequence, parsePolicyFile } from './policy-file.ts';

/**
 * Throws `invalid_request` for a text that could not be used once it is written, which would block everything below: the
 * message names line and column. What is only suspicious is let pass.
 */
export function checkPolicyText(text: string, policyBytes: number): void {
  const refuse = (message: string) => {
    throw new ContextdError('invalid_request', `The policy cannot be used. ${message}`, [
      { pointer: '/text', message },
    ]);
  };
  if (!text.isWellFormed()) refuse('It contains half of a surrogate pair, which UTF-8 cannot represent.');
  const decoded = decodeText(new TextEncoder().encode(text), false);
  if ('problem' in decoded) refuse('It contains a NUL character, so it is not text.');
  const { valid, warnings } = parsePolicyFile(text, { path: '', policyBytes });
  if (valid) return;
  // Of several, the first that makes it unusable; the others are told when it is validated.
  const [first] = warnings.filter(({ code }) => !harmless.has(code));
  const { line = 1, column = 1, message = 'It is not valid.' } = first ?? {};
  refuse(`Line ${line}, column ${column}: ${message.replace(consequence, '').trim()}`);
}

const harmless: ReadonlySet<string> = new Set(['unknown_policy_key', 'policy_without_kind']);
