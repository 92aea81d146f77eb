import { describe, expect, it } from 'vitest';
import { isKernelPlace, liesInRoots, placesInRoots } from '../../src/access/reach.ts';

const root = (path: string, realPath = path) => ({ path, realPath });

describe('placesInRoots', () => {
  it('S-34 compares whole components', () => {
    expect(placesInRoots('/ws/a', [root('/ws')])).toEqual(['/ws/a']);
    expect(placesInRoots('/ws', [root('/ws')])).toEqual(['/ws']);
    expect(placesInRoots('/a', [root('/')])).toEqual(['/a']);
    for (const path of ['/ws-evil', '/w', '/ws/../x', '/ws/./a', '/ws//a', '/ws/', 'ws', '']) {
      expect(placesInRoots(path, [root('/ws')])).toEqual([]);
    }
  });

  it('leads a path below a linked root to its real place, deepest root first', () => {
    expect(placesInRoots('/link/a', [root('/link', '/data')])).toEqual(['/data/a']);
    expect(placesInRoots('/data/a', [root('/link', '/data')])).toEqual(['/data/a']);
    expect(placesInRoots('/link/a', [root('/link', '/')])).toEqual(['/a', '/link/a']);
    expect(placesInRoots('/ws/sub/a', [root('/ws'), root('/ws/sub', '/data')])).toEqual(['/data/a', '/ws/sub/a']);
  });
});

describe('liesInRoots', () => {
  it('S-37 judges by the real directory alone', () => {
    expect(liesInRoots('/data/a', [root('/link', '/data')])).toBe(true);
    expect(liesInRoots('/link/a', [root('/link', '/data')])).toBe(false);
    expect(liesInRoots('/data-evil', [root('/link', '/data')])).toBe(false);
  });
});

describe('isKernelPlace', () => {
  it('S-41 knows what the kernel makes up, and lets a root in shared memory be one', () => {
    const all = root('/');
    for (const path of ['/proc/self/environ', '/sys/kernel', '/dev', '/dev/shm/other']) {
      expect(isKernelPlace(path, [all, root('/dev/shm/ws')])).toBe(true);
    }
    expect(isKernelPlace('/dev/shm/ws/a', [all, root('/dev/shm/ws')])).toBe(false);
    expect(isKernelPlace('/devices/a', [all])).toBe(false);
    expect(isKernelPlace('/home/dev/a', [all])).toBe(false);
  });
});
