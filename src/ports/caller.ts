/** Who sends a request, and who owns what (S-15). */

/** The user, with the token of the discovery file or a console; or a runtime, with a minted token. */
export type Caller = Readonly<{ scope: 'user'; consoleId?: string } | { scope: 'agent'; tokenId: string }>;

export const theUser: Caller = Object.freeze({ scope: 'user' });

/** Id of the token that created something, or `null` for the user. Kept when the token is revoked. */
export type OwnerId = string | null;

/** The owner of what this caller creates. */
export function ownerOf(caller: Caller): OwnerId {
  return caller.scope === 'agent' ? caller.tokenId : null;
}

/** The id of the minted token or console session of the caller, which can be revoked alone. */
export function endableIdOf(caller: Caller): string | undefined {
  return caller.scope === 'agent' ? caller.tokenId : caller.consoleId;
}

/** Whether a caller may see something with this owner: the user sees everything, a token only its own. */
export function mayUse(caller: Caller, ownerId: OwnerId): boolean {
  return caller.scope === 'user' || caller.tokenId === ownerId;
}
