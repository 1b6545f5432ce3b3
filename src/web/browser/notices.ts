/** Short messages at the bottom of the page, one at a time: `notify(t.saved, 'success')`. `shell/Notices.tsx` shows them. */

export type NoticeKind = 'info' | 'success' | 'warning' | 'error'

export interface Notice {
  readonly id: number
  readonly text: string
  readonly kind: NoticeKind
  /** A button that opens a page of the application. */
  readonly link?: { readonly label: string; readonly to: string }
}

let waiting: readonly Notice[] = []
let last = 0
const listeners = new Set<() => void>()

function set(next: readonly Notice[]): void {
  waiting = next
  for (const listener of listeners) listener()
}

export function notify(text: string, kind: NoticeKind = 'info', link?: Notice['link']): void {
  // News from others, which have a link, do not queue: the result of the user's own action would come minutes after a busy hour's news.
  if (link !== undefined && waiting.length > 0) return
  set([...waiting, { id: ++last, text, kind, ...(link && { link }) }])
}

/** The notice to show now. */
export const currentNotice = (): Notice | undefined => waiting[0]

/** The next one follows. A notice that has gone already is ignored. */
export function endNotice(id: number): void {
  if (waiting[0]?.id === id) set(waiting.slice(1))
}

export function onNotices(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
