import { describe, expect, it } from 'vitest';
import { wordsOfProblem } from '../../../src/bin/client/problem-words.ts';
import { ContextdError, type ErrorCode, type FieldError } from '../../../src/errors.ts';

const words = (message: string, errors: FieldError[] = [], code: ErrorCode = 'invalid_request') =>
  wordsOfProblem(new ContextdError(code, message, errors));

describe('a problem at a terminal', () => {
  it('is told without the body and without pointers', () => {
    const empty = { pointer: '/query', message: 'Must not be empty.' };
    expect(words('The body is not valid.', [empty])).toEqual(['query: Must not be empty.']);
    const missing = 'The mounted directory does not exist.';
    expect(words(missing, [{ pointer: '/mountedDirectory', message: missing }])).toEqual([missing]);
    expect(words(missing)).toEqual([missing]);
  });

  it('goes by the code and the places of the mistakes, whatever the sentence says', () => {
    const named = { pointer: '/exclude/0', message: 'The pattern cannot be used.' };
    expect(words('Something is wrong with the query.', [named])).toEqual(['exclude 0: The pattern cannot be used.']);
    const conflict = words('The body is not valid.', [named], 'conflict');
    expect(conflict).toEqual(['The body is not valid.', '  exclude 0: The pattern cannot be used.']);
  });

  it('keeps what the message says besides, and names fields in words', () => {
    const errors = [
      { pointer: '/activeDocument/path', message: 'Required.' },
      { pointer: '/mcpServers/git/env/API_TOKEN', message: 'Masked.' },
      { pointer: '', message: 'Too much.' },
    ];
    expect(words('Not like this.', errors)).toEqual([
      'Not like this.',
      '  active document path: Required.',
      '  mcp servers git env API_TOKEN: Masked.',
      '  Too much.',
    ]);
  });
});
