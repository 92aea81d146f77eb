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

  it('SY-04 about a directory that is not granted names the command, and no operation', () => {
    const message = 'It lies outside. Grant it with "contextd roots grant <dir>", POST /v1/roots, or --grant-root.';
    const outside = (pointer: string) => words(message, [{ pointer, message }], 'path_outside_roots');
    const told = 'The daemon may not read this directory. To grant it: contextd roots grant <directory>';
    expect(outside('/mountedDirectory')).toEqual([told]);
    expect(outside('/workingDirectory')).toEqual([message]);
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
