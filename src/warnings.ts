import { z } from 'zod';
import { reasonCodes } from './reason-codes.ts';
import { warningCodes } from './warning-codes.ts';

const mayGrow = 'Later versions may have more codes. Treat an unknown code like any other.';

const WarningCode = z
  .enum(warningCodes)
  .meta({ id: 'WarningCode', description: `Code of a warning, for programs. ${mayGrow}` });

/**
 * A mistake in a user's file, or a limit that was reached, inside a good answer.
 * `code` is stable snake_case; `path` is absolute; `line` and `column` count from 1; `pointer` is a JSON pointer (RFC
 * 6901).
 */
export const Warning = z
  .object({
    code: WarningCode,
    message: z.string().describe('What happened and how to fix it, for people.'),
    path: z.string().optional().describe('Absolute path of the file or directory the warning is about.'),
    line: z.int().min(1).optional().describe('Line in that file, counted from 1.'),
    column: z.int().min(1).optional().describe('Column in that line, counted from 1.'),
    pointer: z.string().optional().describe('JSON pointer of the field the warning is about.'),
  })
  .meta({
    id: 'Warning',
    description: 'A mistake in a user’s file, or a limit that was reached. It is part of a good answer.',
  });
export type Warning = z.infer<typeof Warning>;

const ReasonCode = z
  .enum(reasonCodes)
  .meta({ id: 'ReasonCode', description: `Code of a reason, for programs. ${mayGrow}` });

/** A reason: `code` is stable snake_case, `detail` is for people. */
export const Reason = z
  .object({
    code: ReasonCode,
    detail: z.string().optional().describe('Details, for people.'),
  })
  .meta({ id: 'Reason', description: 'A reason: why something has its state or its result.' });
export type Reason = z.infer<typeof Reason>;

/** A directory or file of which nothing is known but that it is there. */
export const unreadableWarning = (path: string): Warning => ({
  code: 'unreadable',
  message: 'Permissions forbid reading this, or its disk does not answer.',
  path,
});

/** Removes repeated warnings and keeps the first one. */
export function uniqueWarnings(warnings: readonly Warning[]): Warning[] {
  return [...new Map(warnings.map((warning) => [JSON.stringify(warning), warning])).values()];
}

/** One warning for each limit that was reached (CC-06). `leftOut` is how much was left out; `message` has the limit. */
export function limitWarnings(limits: readonly (Warning & { leftOut: number })[]): Warning[] {
  return limits.flatMap(({ leftOut, ...warning }) => (leftOut > 0 ? [warning] : []));
}
