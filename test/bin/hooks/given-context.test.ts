import { appendFileSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createGivenContext } from '../../../src/bin/hooks/given-context.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';

let directory: string;
beforeEach(() => {
  directory = temporaryDirectory();
});

const item = (key: string, digest = 'a') => ({ key, digest });
const only = (): string => join(directory, readdirSync(directory)[0] as string);

describe('what a conversation was given', () => {
  it('is for one to give, until it changes, also back to what it was', () => {
    const [first, second] = [createGivenContext(directory, 's'), createGivenContext(directory, 's')];
    expect(first.claim([item('x'), item('y')])).toHaveLength(2);
    expect(second.claim([item('x'), item('z')])).toEqual([item('z')]);
    expect(second.claim([item('x', 'b')])).toHaveLength(1);
    expect(first.notGiven([item('x', 'a'), item('x', 'b')])).toEqual([item('x', 'a')]);
    expect(createGivenContext(directory, 'other').claim([item('x')])).toHaveLength(1);
    first.forget();
    expect(second.claim([item('x', 'b')])).toHaveLength(1);
  });

  it('is kept for the user alone, and survives lines that are none', () => {
    const given = createGivenContext(directory, 's');
    given.claim([item('x')]);
    expect(statSync(only()).mode & 0o777).toBe(0o600);
    appendFileSync(only(), 'half a li');
    expect(given.notGiven([item('x')])).toEqual([]);
    expect(given.claim([item('y')])).toHaveLength(1);
    writeFileSync(only(), '\0'.repeat(1_000_000));
    expect(given.claim([item('x')])).toHaveLength(1);
    expect(statSync(only()).size).toBeLessThan(1_000);
  });

  it('is dropped when it is old, or one of too many', () => {
    for (let at = 0; at < 300; at += 1) createGivenContext(directory, `s${at}`).claim([item('x')]);
    expect(readdirSync(directory).length).toBeLessThanOrEqual(256);
    for (const name of readdirSync(directory)) utimesSync(join(directory, name), 0, 0);
    createGivenContext(directory, 'new').claim([item('x')]);
    expect(readdirSync(directory)).toHaveLength(1);
  });

  it('is not remembered without a name for the conversation', () => {
    expect(createGivenContext(directory, undefined).claim([item('x')])).toHaveLength(1);
    expect(readdirSync(directory)).toEqual([]);
  });
});
