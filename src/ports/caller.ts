/** Who asks, and what belongs to whom (S-15). */

/** The user, by the token of the discovery file or by a console; or a runtime, by a token that was minted for it. */
export type Caller = Readonly<{ scope: 'user'; consoleId?: string } | { scope: 'agent'; tokenId: string }>;

export const theUser: Caller = Object.freeze({ scope: 'user' });

/** Id of the token that made something; `null` for what the user made. It stays when the token is revoked. */
export type OwnerId = string | null;

/** To whom belongs what this caller makes. */
export function ownerOf(caller: Caller): OwnerId {
  return caller.scope === 'agent' ? caller.tokenId : null;
}

/** The id of what opens for this caller and can be ended alone: a minted token, or the session of a console. */
export function endableIdOf(caller: Caller): string | undefined {
  return caller.scope === 'agent' ? caller.tokenId : caller.consoleId;
}

/** Whether something with this owner is there for a caller: all is for the user, and for a token what it made. */
export function mayUse(caller: Caller, ownerId: OwnerId): boolean {
  return caller.scope === 'user' || caller.tokenId === ownerId;
}
