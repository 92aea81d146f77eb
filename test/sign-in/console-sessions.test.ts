import { describe, expect, it } from 'vitest';
import { fixedLimits } from '../../src/settings.ts';
import { createConsoleSessions } from '../../src/sign-in/console-sessions.ts';
import { digestToken } from '../../src/tokens/access-tokens.ts';
import { createFakeClock } from '../support/fake-clock.ts';

function setUp() {
  const clock = createFakeClock();
  const sessions = createConsoleSessions(clock);
  const signIn = (): string => sessions.redeem(sessions.createCode().code)?.session.token ?? '';
  const opens = (token: string): boolean => sessions.idOf(digestToken(token)) !== undefined;
  return { clock, sessions, signIn, opens };
}

describe('codes of the console', () => {
  it('S-10 are 32 random bytes, work once, and give a token of 32 others', () => {
    const { sessions, opens } = setUp();
    const { code, expiresAt } = sessions.createCode();
    expect(Buffer.from(code, 'base64url').length).toBe(32);
    expect(expiresAt).toBe('2026-01-01T00:01:00.000Z');
    expect(opens(code)).toBe(false);
    const session = sessions.redeem(code)?.session;
    expect(session?.createdAt).toBe('2026-01-01T00:00:00.000Z');
    expect(Buffer.from(session?.token ?? '', 'base64url').length).toBe(32);
    expect(session?.token).not.toBe(code);
    expect(opens(session?.token ?? '')).toBe(true);
    expect(sessions.redeem(code)).toBeUndefined();
    expect(opens(code)).toBe(false);
  });

  it('S-10 end after 60 seconds, whatever happens to the wall clock', () => {
    const { clock, sessions } = setUp();
    const [first, second] = [sessions.createCode(), sessions.createCode()];
    clock.advance(fixedLimits.signIn.codeMs - 1);
    clock.setNow(Date.UTC(2036, 0, 1));
    expect(sessions.redeem(first.code)).toBeDefined();
    clock.setNow(0);
    clock.advance(1);
    expect(sessions.redeem(second.code)).toBeUndefined();
  });

  it('S-10 are few: the oldest makes room', () => {
    const { sessions } = setUp();
    const codes = Array.from({ length: fixedLimits.signIn.codes + 1 }, () => sessions.createCode().code);
    expect(new Set(codes).size).toBe(codes.length);
    expect(sessions.redeem(codes[0] as string)).toBeUndefined();
    for (const code of codes.slice(1)) expect(sessions.redeem(code)).toBeDefined();
  });

  it('S-10 nothing else is a code, and trying uses none up', () => {
    const { sessions, signIn } = setUp();
    const { code } = sessions.createCode();
    for (const other of ['', code.slice(1), `${code}A`, code.toUpperCase(), `${code} `, 'A'.repeat(43), signIn(), '\0'])
      expect(sessions.redeem(other)).toBeUndefined();
    expect(sessions.redeem(code)).toBeDefined();
  });
});

describe('sessions of the console', () => {
  it('S-10 end when they are signed out, each for itself', () => {
    const { sessions, signIn, opens } = setUp();
    const [mine, other] = [signIn(), signIn()];
    const id = sessions.idOf(digestToken(mine));
    expect(id).toMatch(/^[0-9a-f]{32}$/u);
    expect(sessions.idOf(digestToken(other))).not.toBe(id);
    expect(sessions.end(mine)).toBe(id);
    expect([opens(mine), opens(other)]).toEqual([false, true]);
    expect(sessions.end(mine)).toBeUndefined();
    expect(sessions.end('')).toBeUndefined();
  });

  it('S-10 last until there are too many; then the oldest makes room', () => {
    const { clock, sessions, signIn, opens } = setUp();
    const tokens = Array.from({ length: fixedLimits.signIn.sessions }, signIn);
    clock.advance(365 * 86_400_000);
    expect(tokens.every(opens)).toBe(true);
    const oldest = sessions.idOf(digestToken(tokens[0] as string));
    const redeemed = sessions.redeem(sessions.createCode().code);
    expect(redeemed?.endedId).toBe(oldest);
    const last = redeemed?.session.token ?? '';
    expect(tokens.map(opens).indexOf(true)).toBe(1);
    expect(opens(last)).toBe(true);
  });

  it('S-10 are those of one run of the daemon', () => {
    const { clock, sessions, signIn } = setUp();
    const [token, { code }] = [signIn(), sessions.createCode()];
    const next = createConsoleSessions(clock);
    expect(next.idOf(digestToken(token))).toBeUndefined();
    expect(next.redeem(code)).toBeUndefined();
  });
});
