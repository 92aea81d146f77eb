import { describe, expect, it } from 'vitest';
import { definedNames } from '../../src/retrieval/defined-names.ts';

describe('names that a source defines', () => {
  it.each([
    ['export default async function roundPrice(cents: number) {', 'roundPrice'],
    ['  private static readonly roundPrice = 1;', ''],
    ['export const roundPrice = (cents) => cents;', 'roundPrice'],
    ['  const local = 1;', ''],
    ['  roundPrice(cents: number): number {', 'roundPrice'],
    ['  if (isRound(price)) {', ''],
    ['  } else if (isRound(price)) {', ''],
    ['    async def round_price(self):', 'round_price'],
    ['  def self.round_price', 'self.round_price'],
    ['defmodule Shop.Price do', 'Shop.Price'],
    ['pub(crate) unsafe fn round_price<T>(cents: T) -> T {', 'round_price'],
    ['func (shop *Shop) RoundPrice(cents int) int {', 'RoundPrice'],
    ['static int round_price(int cents) {', 'round_price'],
    ['public sealed class PriceRounder : IRounder', 'PriceRounder'],
    ['abstract interface RoundedPrice', 'RoundedPrice'],
    ['class Größe:', 'Größe'],
    ['const größe = 1;', 'größe'],
    ['public double calcularPreço(int itens) {', 'calcularPreço'],
    ['// the function of a price', ''],
    ['## How prices are rounded', 'How prices are rounded'],
    ['# a price is rounded', ''],
    ['roundPrice(cents);', ''],
    [`function ${'long'.repeat(100)}() {`, ''],
  ])('RT-02 are guessed from a line: %s', (line, name) => {
    expect(definedNames(`first line\n${line}\r\nlast line`)).toBe(name);
  });

  it('RT-02 come once, in the order of the lines', () => {
    expect(definedNames('class Price {\n  round() {\n    return 1;\n  }\n}\nclass Price {\n')).toBe('Price round');
  });
});
