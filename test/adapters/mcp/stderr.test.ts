import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStderrRing } from '../../../src/adapters/mcp/stderr.ts';
import { createKnownSecrets } from '../../../src/texts/mask.ts';

const ringBytes = 64 * 1024;

describe('what a server wrote to stderr', () => {
  it('S-30 is kept to its last 64 KiB, in whatever pieces it came', () => {
    const pieces = fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 12 });
    fc.assert(
      fc.property(pieces, fc.integer({ min: 0, max: 200 }), (sizes, longest) => {
        const ring = createStderrRing({ scrub: (text) => text, longest });
        let all = '';
        for (const size of sizes) {
          const piece = Array.from({ length: size }, (_, at) =>
            String.fromCharCode(97 + ((all.length + at) % 23)),
          ).join('');
          all += piece;
          ring.add(Buffer.from(piece));
        }
        // Compared so, because a difference of 64 KiB takes minutes to print.
        expect(ring.text() === all.slice(-ringBytes)).toBe(true);
      }),
      { numRuns: 60, seed: 1 },
    );
  });

  it('S-30 takes a piece larger than all that is kept', () => {
    const ring = createStderrRing({ scrub: (text) => text, longest: 0 });
    ring.add(Buffer.from('before'));
    ring.add(Buffer.from(`${'x'.repeat(3 * ringBytes)}end`));
    ring.add(Buffer.from('.'));
    expect(ring.text()).toHaveLength(ringBytes);
    expect(ring.text()).toMatch(/^x+end\.$/u);
  });

  it('S-30 is copied: what the pieces lay in may be written over', () => {
    const ring = createStderrRing({ scrub: (text) => text, longest: 0 });
    const piece = Buffer.from('first');
    ring.add(piece);
    piece.fill('-');
    expect(ring.text()).toBe('first');
  });

  it('S-26 hides a secret that lies across the beginning of what is kept', () => {
    const secret = 'tr0ub4dor-and-a-horse';
    const ring = createStderrRing(createKnownSecrets([secret]));
    ring.add(Buffer.from(`${secret}${'y'.repeat(ringBytes - 4)}`));
    expect(ring.text()).not.toContain('orse');
  });

  it.each(['tr0ub4dor-and-a-horse', 'geheimes-Wörtchen-🔑-schlüßel'])(
    'S-26 hides what is left of a secret, however much after it is hidden too: %s',
    (secret) => {
      const { longest } = createKnownSecrets([secret]);
      for (let cut = 0; cut < longest; cut += 1) {
        const ring = createStderrRing(createKnownSecrets([secret]));
        ring.add(Buffer.from(`${secret.repeat(5_000)}${'y'.repeat(cut)}`));
        // The stars of what lies across the beginning are incomplete.
        expect(ring.text()).toMatch(/^\**y*$/u);
      }
    },
  );
});
