/** What waits for a client that reads slowly (S-77). */
import { describe, expect, it } from 'vitest';
import { createBoundedStream } from '../../src/events/bounded-stream.ts';

function newStream({ takes }: { takes: number }) {
  const written: string[] = [];
  const calls = { ended: 0, overflows: 0 };
  let left = takes;
  const stream = createBoundedStream(
    {
      write(text) {
        written.push(text);
        left -= 1;
        return left > 0;
      },
      end: () => {
        calls.ended += 1;
      },
    },
    {
      farewell: () => 'farewell',
      onOverflow: () => {
        calls.overflows += 1;
      },
    },
  );
  const drain = (more: number) => {
    left = more;
    stream.drained();
  };
  return { stream, written, calls, drain };
}

describe('bounded stream', () => {
  it('S-77 writes at once while the client reads', () => {
    const { stream, written, calls } = newStream({ takes: 10 });
    stream.send('a');
    stream.send('b');
    expect(written).toEqual(['a', 'b']);
    expect(calls).toEqual({ ended: 0, overflows: 0 });
  });

  it('S-77 waits for the client, and keeps the order', () => {
    const { stream, written, drain } = newStream({ takes: 1 });
    for (const text of ['a', 'b', 'c', 'd']) stream.send(text);
    expect(written).toEqual(['a']);
    drain(2);
    expect(written).toEqual(['a', 'b', 'c']);
    drain(9);
    expect(written).toEqual(['a', 'b', 'c', 'd']);
  });

  it('S-77 holds at most 1 MiB for a client that does not read, then says so and ends', () => {
    const { stream, written, calls, drain } = newStream({ takes: 1 });
    const text = 'é'.repeat(512); // 1 KiB
    stream.send('first');
    for (let count = 0; count < 1_024; count += 1) stream.send(text);
    expect(calls.overflows).toBe(0);
    stream.send(text);
    expect(calls.overflows).toBe(1);
    for (let count = 0; count < 5_000; count += 1) stream.send(text);
    expect(calls).toEqual({ ended: 0, overflows: 1 });
    expect(written).toEqual(['first']);
    drain(9);
    expect(written).toEqual(['first', 'farewell']);
    expect(calls).toEqual({ ended: 1, overflows: 1 });
  });

  it('S-80 writes what waits before it ends', () => {
    const { stream, written, calls, drain } = newStream({ takes: 1 });
    stream.send('a');
    stream.send('b');
    stream.end();
    stream.send('too late');
    expect(calls.ended).toBe(0);
    drain(9);
    stream.end();
    expect(written).toEqual(['a', 'b']);
    expect(calls.ended).toBe(1);
  });
});
