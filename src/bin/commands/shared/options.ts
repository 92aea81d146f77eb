/** Options and arguments that several commands share. */
import { text } from 'node:stream/consumers';
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { wrongUsage } from '../../exit-codes.ts';

/** The flags of most commands. */
export type CommonFlags = { json?: boolean; stateDir?: string };

export function addCommonOptions(command: Command): Command {
  return command.addOption(jsonOption()).addOption(stateDirOption());
}

/** `--state-dir <dir>`: which daemon to use. */
export function stateDirOption(): Option {
  return new Option('--state-dir <dir>', 'Where the daemon keeps its files. Default: see "contextd --help".');
}

/** `--json`: the API's JSON on standard output. */
export function jsonOption(): Option {
  return new Option('--json', 'Print JSON.');
}

/** `[dir]`: the project that a command is about. */
export function projectArgument(): Argument {
  return new Argument('[dir]', 'the mounted directory: the root of the project').default('.');
}

/** A parser for a repeatable option. */
export function collect(value: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), value];
}

/** The same for a fixed set of values. */
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

/** A parser for any number. The daemon checks its range. */
export function anyNumber(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number)) throw new InvalidArgumentError('It must be a number.');
  return number;
}

/** An argument as it is, or for "-" all of standard input. */
export async function textGiven(argument: string): Promise<string> {
  if (argument !== '-') return argument;
  // Programs end their output with a line break that is not part of the text.
  return (await text(process.stdin)).replace(/\r?\n$/u, '');
}

/** Ends a command with arguments that have no effect together with `other`. */
export function refuseBeside(other: string, given: Record<string, boolean>): void {
  for (const [name, isGiven] of Object.entries(given))
    if (isGiven) throw wrongUsage(`${name} cannot be used with ${other}.`);
}
