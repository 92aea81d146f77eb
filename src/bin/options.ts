/** What several commands share. */
import { InvalidArgumentError, Option } from 'commander';
import { CommandFailure, exitCodes } from './exit-codes.ts';

/** `--state-dir <dir>`: which daemon is meant. */
export function stateDirOption(): Option {
  return new Option('--state-dir <dir>', 'Where the daemon keeps its files. Default: see "contextd --help".');
}

/** `--json`: the API's JSON on standard output. */
export function jsonOption(): Option {
  return new Option('--json', 'Print JSON.');
}

/** A parser for an option that may be given several times. */
export function collect(value: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), value];
}

/** The same for one of a few words. */
export function collectOf(words: readonly string[]): typeof collect {
  return (value, previous) => {
    if (!words.includes(value)) throw new InvalidArgumentError(`It must be one of ${words.join(', ')}.`);
    return collect(value, previous);
  };
}

/** A parser for a number above zero. */
export function positive(kind: 'number' | 'integer'): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (!(kind === 'integer' ? Number.isSafeInteger(number) : Number.isFinite(number)) || number <= 0) {
      throw new InvalidArgumentError(`It must be ${kind === 'integer' ? 'a whole' : 'a'} number above 0.`);
    }
    return number;
  };
}

/** A parser for a whole number from 0 to `max`. */
export function wholeNumber(max: number): (value: string) => number {
  return (value) => {
    const number = /^\d+$/u.test(value) ? Number(value) : Number.NaN;
    if (!(number <= max))
      throw new InvalidArgumentError(`It must be a whole number, 0 to ${max.toLocaleString('en-US')}.`);
    return number;
  };
}

/** A parser for a number of any size; what it may be, the daemon says. */
export function anyNumber(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number)) throw new InvalidArgumentError('It must be a number.');
  return number;
}

/** How a root is granted, behind its path. */
export const rootNotes = { start: '  (until the daemon stops)', stored: '', global: '  (global context)' } as const;

/** Ends a command that was given something which would count for nothing beside `other`. */
export function refuseBeside(other: string, given: Record<string, boolean>): void {
  for (const [name, isGiven] of Object.entries(given))
    if (isGiven) throw new CommandFailure(exitCodes.usage, `${name} cannot be used with ${other}.`);
}

/** JSON that people can read and programs parse. */
export function printJson(value: unknown): void {
  console.log(harmless(JSON.stringify(value, null, 2)));
}

/** The same on one line, for what goes on. */
export function printJsonLine(value: unknown): void {
  console.log(harmless(JSON.stringify(value)));
}

/** JSON leaves in its strings what steers terminals and what nobody sees; escaped, it is parsed as the same. */
function harmless(json: string): string {
  return json.replace(/[\u007f-\u009f\p{Cf}\u2028\u2029]/gu, (character) =>
    character.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}
