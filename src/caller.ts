/** Who asks, and what belongs to whom (S-15). */

/** The user, by the token of the discovery file or a console; or a runtime, by a token that was minted for it. */
export type Caller = Readonly<{ scope: 'user' } | { scope: 'agent'; tokenId: string }>;

export const theUser: Caller = Object.freeze({ scope: 'user' });

/** Id of the token that made something; `null` for what the user made. It stays when the token is revoked. */
export type OwnerId = string | null;

/** To whom belongs what this caller makes. */
export function ownerOf(caller: Caller): OwnerId {
  return caller.scope === 'agent' ? caller.tokenId : null;
}

/** Whether something with this owner is there for a caller: all is for the user, and for a token what it made. */
export function mayUse(caller: Caller, ownerId: OwnerId): boolean {
  return caller.scope === 'user' || caller.tokenId === ownerId;
}
