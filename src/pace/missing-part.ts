/**
 * Parts of the program are imported when they are first needed. Then their files may be gone, because another version
 * was installed or the program was removed.
 */
import { NotYetError } from '../errors.ts';

export const programIsGone = 'the files of contextd were replaced or removed since this daemon started; start it again';

/** What was asked for needs a part that is gone; `cause` says which. In a second another daemon can be there. */
class MissingPart extends NotYetError {
  constructor(cause: unknown) {
    super(`This cannot be answered: ${programIsGone}.`, 1);
    this.cause = cause;
  }
}

/** Translates the error of an import. `undefined` for other errors. */
export function missingPartOf(error: unknown): MissingPart | undefined {
  if (error instanceof MissingPart) return error;
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
  return isMissing ? new MissingPart(error) : undefined;
}
