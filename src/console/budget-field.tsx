import { useDraft } from './draft.ts';
import { Field } from './elements/fields.tsx';
import { route } from './route.ts';

const restMs = 250;
const maxBudget = 100_000_000;

/** The token budget in the address. Empty if there is none, or if it is not a number that the daemon takes. */
export function budgetOf(params: URLSearchParams): { budget?: { maxTokens: number } } {
  const text = params.get('budget') ?? '';
  const maxTokens = Number(text);
  return /^\d{1,9}$/u.test(text) && maxTokens <= maxBudget ? { budget: { maxTokens } } : {};
}

/** The field for the token budget in the address. */
export function BudgetField() {
  const draft = useDraft('budget', restMs);
  const { params } = route.value;
  const isUsed = (params.get('budget') ?? '') === '' || budgetOf(params).budget !== undefined;
  return (
    <Field
      label="Token budget"
      error={isUsed ? undefined : 'Not used: it must be a whole number from 0 to 100,000,000.'}
    >
      {(ids) => (
        <input
          {...ids}
          type="number"
          inputMode="numeric"
          min={0}
          max={maxBudget}
          step={1}
          autocomplete="off"
          placeholder="No limit"
          {...draft}
        />
      )}
    </Field>
  );
}
