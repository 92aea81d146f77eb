/** The version of the state that a writer expects to change. */

/**
 * Whether a writer expects the `present` version; `undefined`: nothing is there. A part without its own version has
 * that of the whole, and `isThere` says whether the part exists.
 */
export type ExpectedVersion = (present: string | undefined, isThere?: boolean) => boolean;

export const anyVersion: ExpectedVersion = () => true;
