/** What a writer knows of the state that it changes. */

/** Whether a writer means what has this version now. Undefined: there is nothing. */
export type ExpectedVersion = (present: string | undefined) => boolean;

export const anyVersion: ExpectedVersion = () => true;
