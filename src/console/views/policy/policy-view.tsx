import { Panel } from '../../elements/panel.tsx';

export function PolicyView() {
  return <Panel title="Policy">…</Panel>;
}
