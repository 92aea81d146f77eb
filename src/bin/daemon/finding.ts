/** What the doctor finds. */

/** `fault`: something does not work. `notice`: something does not work as well as it could. `mend`: what to do. */
export type Finding = { subject: string; state: 'good' | 'notice' | 'fault'; says: string; mend?: string };

/** The same whoever notices it, the doctor or the daemon. */
export const mendFullDisk = 'Free some space.';
export const mendDamage = 'Try the sqlite3 program on it (".recover"), then move it away or delete it.';

export const good = (subject: string, says: string): Finding => ({ subject, state: 'good', says });
