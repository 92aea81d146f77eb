import { describe, expect, it } from 'vitest';
import { readQuestion } from '../../src/search/question.ts';

/** Each term with the identifier that it is only a part of. */
const told = (query: string): string[] => {
  const { terms, wholes } = readQuestion(query);
  return terms.map((term, place) => (wholes[place] === place ? term : `${term} of ${terms[wholes[place] as number]}`));
};

describe('what a question asks for', () => {
  it('SS-07 is its words, and identifiers with their parts', () => {
    expect(told('retry maxCount twice')).toEqual([
      'retri',
      'max of maxcount',
      'count of maxcount',
      'maxcount',
      'twice',
    ]);
    expect(told('role-based')).toEqual(['role of rolebas', 'base of rolebas', 'rolebas']);
  });

  it('SS-07 has no identifier that is a word of no meaning', () => {
    expect(told('c-an')).toEqual(['c']);
    expect(told('xy-z_th-is')).toEqual(['xy of xyzthi', 'z of xyzthi', 'th of xyzthi', 'xyzthi']);
  });

  it('SS-07 has no pairs of characters across words, and no words of grammar, where no spaces are written', () => {
    expect(told('检测日志保存在哪里？')).toEqual(['检测', '日志', '保存']);
    expect(told('如何连接PLC')).toEqual(['连接', 'plc']);
    expect(told('データを移行する方法')).toEqual(['デー', 'ータ', '移行', '方法']);
    expect(told('数据库的迁移')).toEqual(['数据', '据库', '迁移']);
    expect(told('的')).toEqual([]);
  });

  it('SS-07 asks for a part by itself where that also stands alone, before or behind', () => {
    expect(told('count maxCount')).toEqual(['count', 'max of maxcount', 'maxcount']);
    expect(told('maxCount count')).toEqual(['max of maxcount', 'count', 'maxcount']);
  });

  it('SS-07 has no identifiers in text without spaces, and none that were cut off', () => {
    expect(told('数据库')).toEqual(['数据', '据库']);
    const many = Array.from({ length: 200 }, (_, at) => `fooBar${String.fromCharCode(97 + (at % 26), 97 + at / 26)}`);
    const { terms, wholes } = readQuestion(many.join(' '));
    expect(terms.length).toBeLessThanOrEqual(64);
    for (const whole of wholes) expect(terms[whole]).toBeDefined();
  });

  it('SS-07 S-52 has the words at the beginning and the end of a question of more than 8,000 characters', () => {
    // The middle of 8,000 characters is in the word.
    const filled = (length: number): string =>
      `first${' a'.repeat(1_995)} abcdef`.padEnd(length - 5, ' a').concat(' last');
    expect(told(filled(8_000))).toEqual(['first', 'abcdef', 'last']);
    expect(told(filled(8_001))).toEqual(['first', 'abcd', 'f', 'last']);
    expect(told(filled(20_000))).toEqual(['first', 'abcd', 'last']);
  });

  it('SS-07 has the first and the last 32 of more than 64 terms', () => {
    const words = Array.from(
      { length: 65 },
      (_, at) => `${'qxz'[Math.floor(at / 26)]}${'abcdefghijklmnopqrstuvwxyz'[at % 26]}`,
    );
    expect(told(words.slice(0, 64).join(' '))).toEqual(words.slice(0, 64));
    expect(told(words.join(' '))).toEqual([...words.slice(0, 32), ...words.slice(33)]);
  });
});
