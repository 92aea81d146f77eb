/**
 * Signing in (S-10): a one-time code in the fragment of the address becomes a token that lives in this tab. No cookie, nothing
 * in an address. Other tabs of the same origin share theirs, so that one `contextd open` serves all of them.
 */
import { effect } from '@preact/signals';
import { request, sessionToken } from './request.ts';

const storageKey = 'contextd-session';
const channel = new BroadcastChannel('contextd-session');

/** Takes a code to a token. Throws `Problem`: `unauthorized` when it was used, is older than 60 s, or is none. */
export async function signInWithCode(code: string): Promise<void> {
  const { token } = await request<{ token: string }>('/v1/console/sessions', { body: { code } });
  sessionToken.value = token;
  channel.postMessage({ token });
}

/** Ends the session of this tab and of those it is shared with. */
export async function signOut(): Promise<void> {
  try {
    await request('/v1/console/sessions', { method: 'DELETE' });
  } finally {
    sessionToken.value = undefined;
  }
}

/** The code in what `contextd open --print` prints: the address, or the code alone. */
export function codeIn(text: string): string | undefined {
  const code = /(?:^|#code=|&code=)([A-Za-z0-9_-]{20,})(?:&.*)?$/u.exec(text.trim())?.[1];
  return code;
}

/** Keeps the token over a reload of the tab, and hands it to tabs that have none. */
export function shareSession(): void {
  sessionToken.value = sessionStorage.getItem(storageKey) ?? undefined;
  effect(() => {
    const token = sessionToken.value;
    if (token === undefined) sessionStorage.removeItem(storageKey);
    else sessionStorage.setItem(storageKey, token);
  });
  channel.onmessage = ({ data }: MessageEvent<{ token?: string; wanted?: true }>) => {
    const own = sessionToken.peek();
    if (data.wanted === true && own !== undefined) channel.postMessage({ token: own });
    if (data.token !== undefined && own === undefined) sessionToken.value = data.token;
  };
  effect(() => {
    if (sessionToken.value === undefined) channel.postMessage({ wanted: true });
  });
}
