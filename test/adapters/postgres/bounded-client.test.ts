import { expect, it } from 'vitest';
import { bounds, createFrames } from '../../../src/adapters/postgres/bounded-client.ts';

const message = (type: string, length: number): Buffer => {
  const bytes = Buffer.alloc(1 + length);
  bytes.write(type);
  bytes.writeUInt32BE(length, 1);
  return bytes;
};

it('S-89 counts what each message costs, however short it is, until the answer ends', () => {
  const rows = Buffer.concat(Array.from({ length: 10_000 }, () => message('D', 6)));
  const look = createFrames();
  const flood = (pieces: number) => {
    for (let piece = 0; piece < pieces; piece += 1) look(rows);
  };
  flood(100);
  look(message('Z', 5));
  flood(190);
  expect(() => flood(20)).toThrow('too long');
  expect(200 * rows.length).toBeLessThan(bounds.answerBytes / 10);
});

it('S-89 takes no message that says it is longer than any of ours', () => {
  const head = message('D', 4);
  head.writeUInt32BE(bounds.messageBytes + 1, 1);
  expect(() => createFrames()(head)).toThrow('too long');
});
