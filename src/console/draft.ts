import { useEffect, useRef, useState } from 'preact/hooks';
import { route, setParams } from './route.ts';

type FromInput = { currentTarget: HTMLInputElement };

/** For an input whose text goes into a parameter of the address when typing pauses, or at once with Enter. */
export function useDraft(param: string, restMs: number) {
  const [draft, setDraft] = useState<string>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const commit = (text: string) => {
    clearTimeout(timer.current);
    setDraft(undefined);
    setParams({ [param]: text });
  };
  return {
    value: draft ?? route.value.params.get(param) ?? '',
    onInput({ currentTarget: { value } }: FromInput) {
      setDraft(value);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => commit(value), restMs);
    },
    onKeyDown({ key, currentTarget }: FromInput & { key: string }) {
      if (key === 'Enter') commit(currentTarget.value);
    },
  };
}
