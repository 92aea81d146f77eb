/**
 * Signing in (S-10): a one-time code in the fragment of the address becomes a token that lives in this tab. No cookie, nothing
 * in an address. Other tabs of the same origin share theirs, so that one `contextd open` serves all of them.
 */
import { effect, signal } from '@preact/signals';
import { asProblem, request, sessionToken } from './request.ts';

const storageKey = 'contextd-session';
/** What tabs say to each other: a token to use, that one is wanted, that one is revoked. */
type Message = { token: string } | { wanted: true } | { ended: string; bySomebody: boolean };
const channel = new BroadcastChannel('contextd-session');
const say = (message: Message) => channel.postMessage(message);

/** Tokens that were refused, which a tab that does not know it yet may still offer. */
const ended = new Set<string>();

/** Somebody signed out: what the page showed is for nobody any more. */
export const isSignedOut = signal(false);

/** Why the code of the address was not taken. */
export const refusal = signal<string | undefined>(undefined);

/** Takes a code to a token. Throws `Problem`: `unauthorized` when it was used, is too old, or is none. */
export async function signInWithCode(code: string): Promise<void> {
  const { token } = await request<{ token: string }>('/v1/console/sessions', { body: { code }, isAnonymous: true });
  sessionToken.value = token;
  say({ token });
}

/** The same with the code of an address; `refusal` says why when it is not taken. */
export async function signInByAddress(code: string): Promise<void> {
  refusal.value = undefined;
  await signInWithCode(code).catch((error: unknown) => {
    const { code, message } = asProblem(error);
    refusal.value =
      code === 'unauthorized' ? 'The code of the address was used already or is older than a minute.' : message;
  });
}

/** Ends the session of this tab and of those it is shared with. */
export async function signOut(): Promise<void> {
  try {
    await request('/v1/console/sessions', { method: 'DELETE' });
  } finally {
    isSignedOut.value = true;
    sessionToken.value = undefined;
  }
}

const longestAddress = 2_000;

/** The code in what `contextd open --print` prints: the address, or the code alone. */
export function codeIn(text: string): string | undefined {
  const code = /(?:^|#code=|&code=)([A-Za-z0-9_-]{20,})(?:&.*)?$/u.exec(text.trim().slice(0, longestAddress))?.[1];
  return code;
}

/** Keeps the token over a reload of the tab, and hands it to tabs that have none. */
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
