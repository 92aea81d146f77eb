/** Checks the text of a policy file before it is used or written (AP-09). */

import { ContextdError } from '../errors.ts';
import { decodeText } from '../texts/decode-text.ts';
import { consequence, parsePolicyFile } from './policy-file.ts';

/**
 * Throws `invalid_request` for a text that would be unusable, because it would block everything below. The message has
 * line and column. A text that is only suspicious passes.
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
  // The first problem that makes it unusable. Validation reports the others.
  const [first] = warnings.filter(({ code }) => !harmless.has(code));
  const { line = 1, column = 1, message = 'It is not valid.' } = first ?? {};
  refuse(`Line ${line}, column ${column}: ${message.replace(consequence, '').trim()}`);
}

const harmless: ReadonlySet<string> = new Set(['unknown_policy_key', 'policy_without_kind']);
