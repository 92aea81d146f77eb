/** What a query asks to do is not what it is about. */
import { expect, it } from 'vitest';
import { withoutInstructions } from '../../src/retrieval/instructions.ts';

const wordsOf = (text: string): string => text.replaceAll(/\s+/gu, ' ').trim();

it.each([
  'why does add() round',
  'why does add(price) round',
  'why does fix() round',
  'the `add` of a cart',
  'Cart::add rounds',
  '$cart->add rounds',
  'Cart#add rounds',
  'Cart.add rounds',
  'add.ts rounds',
  'src/add rounds',
  '@add rounds',
  'add::<f64> rounds',
  'add_all --fix',
  'größeadd rounds',
  'Preis wird falsch gerundet',
  '価格の丸めを修正',
])('RT-02 “%s” has names and no instructions', (query) => {
  expect(withoutInstructions(query)).toBe(query);
});

it.each([
  ['fix: price', ': price'],
  ['fix!: price', '!: price'],
  ['fix(cart): price', '(cart): price'],
  ['fix(cart)!: price', '(cart)!: price'],
  ['Fixed the price: add “implement”.', 'the price: “ ”.'],
  ['(add) price', '( ) price'],
  ['where is the price defined, and where is it implemented?', 'where is the price , and where is it ?'],
  ['Where is the price located', 'Where is the price'],
])('RT-02 of “%s” remains “%s”', (query, rest) => {
  expect(wordsOf(withoutInstructions(query))).toBe(rest);
});

it.each(['fix', 'fix the bug', 'add it', ''])('RT-02 “%s” stays, because nothing else is asked', (query) => {
  expect(withoutInstructions(query)).toBe(query);
});
