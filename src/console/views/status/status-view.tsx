import { Panel } from '../../elements/panel.tsx';

export function StatusView() {
  return <Panel title="Status">…</Panel>;
}
