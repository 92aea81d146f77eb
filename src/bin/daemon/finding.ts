/** What the doctor finds. */

/** `fault`: something does not work. `notice`: something does not work as well as it could. `mend`: what to do. */
export type Finding = { subject: string; state: 'good' | 'notice' | 'fault'; says: string; mend?: string };

export const good = (subject: string, says: string): Finding => ({ subject, state: 'good', says });
