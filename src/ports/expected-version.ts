/** What a writer knows of the state that it changes. */

/**
 * Whether a writer means what has this version now. Undefined: there is nothing. A part without a version of its own has
 * that of the whole, and `isThere` says whether the part is there.
 */
export type ExpectedVersion = (present: string | undefined, isThere?: boolean) => boolean;

export const anyVersion: ExpectedVersion = () => true;
