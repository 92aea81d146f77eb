/**
 * Signs in (S-10): a one-time code in the fragment of the address becomes a token of this tab. There is no cookie, and
 * no token in an address. Tabs of the same origin share the token, so that one `contextd open` is enough for all.
 */
import { effect, signal } from '@preact/signals';
import { asProblem, request, sessionToken } from './request.ts';

const storageKey = 'contextd-session';
/** Messages between tabs: a token to use, a request for one, or a revoked one. */
type Message = { token: string } | { wanted: true } | { ended: string; bySomebody: boolean };
const channel = new BroadcastChannel('contextd-session');
const say = (message: Message) => channel.postMessage(message);

/** Refused tokens, which another tab may still offer. */
const ended = new Set<string>();

/** The user signed out, so nothing of the page may be shown. */
export const isSignedOut = signal(false);

/** Why the code of the address was not accepted. */
export const refusal = signal<string | undefined>(undefined);

/** Exchanges a code for a token. Throws `Problem` `unauthorized` if the code was used, is too old, or is invalid. */
export async function signInWithCode(code: string): Promise<void> {
  const { token } = await request<{ token: string }>('/v1/console/sessions', { body: { code }, isAnonymous: true });
  sessionToken.value = token;
  say({ token });
}

/** The same with the code of an address. If it is not accepted, `refusal` says why. */
export async function signInByAddress(code: string): Promise<void> {
  refusal.value = undefined;
  await signInWithCode(code).catch((error: unknown) => {
    const { code, message } = asProblem(error);
    refusal.value =
      code === 'unauthorized' ? 'The code of the address was used already or is older than a minute.' : message;
  });
}

/** Ends the session of this tab and of all tabs that share it. */
export async function signOut(): Promise<void> {
  try {
    await request('/v1/console/sessions', { method: 'DELETE' });
  } finally {
    isSignedOut.value = true;
    sessionToken.value = undefined;
  }
}

const longestAddress = 2_000;

/** The code in the output of `contextd open --print`: in the address, or alone. */
export function codeIn(text: string): string | undefined {
  const code = /(?:^|#code=|&code=)([A-Za-z0-9_-]{20,})(?:&.*)?$/u.exec(text.trim().slice(0, longestAddress))?.[1];
  return code;
}

/** Keeps the token when the tab is reloaded, and gives it to tabs without one. */
export function shareSession(): void {
  sessionToken.value = sessionStorage.getItem(storageKey) ?? undefined;
  let last: string | undefined;
  effect(() => {
    const token = sessionToken.value;
    if (token === undefined) {
      sessionStorage.removeItem(storageKey);
      if (last !== undefined) {
        ended.add(last);
        say({ ended: last, bySomebody: isSignedOut.peek() });
      }
      if (!isSignedOut.peek()) say({ wanted: true });
    } else {
      sessionStorage.setItem(storageKey, token);
      isSignedOut.value = false;
      refusal.value = undefined;
    }
    last = token;
  });
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    const own = sessionToken.peek();
    if ('wanted' in data && own !== undefined) say({ token: own });
    if ('token' in data && own === undefined && !ended.has(data.token)) sessionToken.value = data.token;
    if ('ended' in data && own === data.ended) {
      isSignedOut.value = data.bySomebody;
      sessionToken.value = undefined;
    }
  };
}
