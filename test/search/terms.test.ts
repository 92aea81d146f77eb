import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashesOf, hashOfTerm, termsOf } from '../../src/search/terms.ts';

describe('terms', () => {
  it('SS-07 leave out case, endings, accents of another form, and words that say nothing', () => {
    expect(termsOf('How do we MIGRATE the databases?')).toEqual(termsOf('migrating a Database'));
    expect(termsOf('ＡＢＣ ﬁle')).toEqual(['abc', 'file']);
    expect(termsOf('nai\u0308ve')).toEqual(termsOf('na\u00efve'));
    expect(termsOf("the team's")).toEqual(termsOf('teams'));
    expect(termsOf('what is it, and why?')).toEqual([]);
  });

  it.each([
    ['maxRetryCount', ['max', 'retri', 'count', 'maxretrycount']],
    ['max_retry_count', ['max', 'retri', 'count', 'maxretrycount']],
    ['max-retry-count', ['max', 'retri', 'count', 'maxretrycount']],
    ['HTTPServer', ['http', 'server', 'httpserver']],
    ['sha256', ['sha', '256', 'sha256']],
    ['package.json', ['packag', 'json', 'packagejson']],
  ])('SS-07 take the identifier %s apart and keep it whole', (identifier, terms) => {
    expect(termsOf(identifier)).toEqual(terms);
  });

  it('SS-07 of languages other than English stay whole; where no spaces are written they are pairs of characters', () => {
    expect(termsOf('Größe überprüfen')).toEqual(['größe', 'überprüfen']);
    expect(termsOf('проверка данных')).toEqual(['проверка', 'данных']);
    expect(termsOf('数据库迁移')).toEqual(['数据', '据库', '库迁', '迁移']);
    expect(termsOf('データを移行')).toEqual(expect.arrayContaining(['移行']));
    expect(termsOf('木')).toEqual(['木']);
    expect(termsOf('Eーメール')).toEqual(['e', 'ーメ', 'メー', 'ール']);
    expect(termsOf('데이터베이스 이전')).toEqual(['데이터베이스', '이전']);
    expect(termsOf('😀 — …')).toEqual([]);
  });

  it('SS-07 are no identifier with their neighbours where no spaces are written', () => {
    const identifiers: { from: number; whole: number }[] = [];
    expect(termsOf('如何连接PLC？', identifiers)).toEqual(['如何', '何连', '连接', 'plc']);
    expect(identifiers).toEqual([]);
    expect(termsOf('修改maxRetryCount的值', identifiers)).toEqual([
      '修改',
      'max',
      'retri',
      'count',
      'maxretrycount',
      '的值',
    ]);
    expect(identifiers).toEqual([{ from: 1, whole: 4 }]);
  });

  it('SS-07 are short, whatever the text', () => {
    for (const unit of ['a', 'A', 'aB', '1', "a'", 'a-', 'e\u0301', '\ud800'])
      for (const term of termsOf(unit.repeat(100_000))) expect(term.length).toBeLessThanOrEqual(40);
  });

  it('SS-07 have the same hashes in a text as by themselves, whatever was read before', () => {
    const units = [
      'maxRetryCount',
      'retry',
      'HTTPServer',
      'package.json',
      'Größe',
      '数据库',
      'データ',
      '😀',
      'ﬁle',
      "team's",
    ];
    const unit = fc.constantFrom(...units, ' ', '-', 'x', '7', 'e\u0301', '\ud800', 'a'.repeat(50), 'n_'.repeat(20));
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 20 }), (pieces) => {
        const text = pieces.join('');
        expect([...hashesOf(text)]).toEqual(termsOf(text).map(hashOfTerm));
      }),
      { numRuns: 1_000 },
    );
  });
});
