/**
 * Keys for the log of messages, which Tab reaches as one stop. Up, Down, Home and End move between rows, Right and Left between the links,
 * reactions and actions of a row. Enter opens the actions of a row, and Escape returns to the field.
 */

import type { KeyboardEvent } from 'react'

/** A row that the arrow keys stop at. */
export const ROW = { 'data-row': '', tabIndex: -1 } as const

export function onLogKey(event: KeyboardEvent<HTMLElement>, leave: () => void): void {
  const log = event.currentTarget
  const target = event.target as HTMLElement
  // Menus and dialogs of a row are elsewhere on the page, but their events come here too.
  if (event.altKey || event.ctrlKey || event.metaKey || !log.contains(target)) return
  if (event.key === 'Escape') return leave()
  const row = target.closest<HTMLElement>('[data-row]')
  if (event.key === 'Enter' && target === row && row.tagName !== 'BUTTON')
    row.querySelector<HTMLElement>('.actions')?.click()
  else {
    const next = target.matches('audio,video') && /^Arrow(Left|Right)$/.test(event.key) ? undefined : nextOf(event.key)
    if (next === undefined) return
    next.focus()
  }
  event.preventDefault()

  function nextOf(key: string): HTMLElement | undefined {
    const rows = [...log.querySelectorAll<HTMLElement>('[data-row]')]
    const parts = row === null ? [] : [row, ...row.querySelectorAll<HTMLElement>('a,button,[role=button],audio,video')]
    switch (key) {
      case 'ArrowUp':
        return row === null ? rows.at(-1) : rows[rows.indexOf(row) - 1]
      case 'ArrowDown':
        return row === null ? undefined : rows[rows.indexOf(row) + 1]
      case 'Home':
        return rows[0]
      case 'End':
        return rows.at(-1)
      case 'ArrowRight':
        return parts[parts.indexOf(target) + 1]
      case 'ArrowLeft':
        return parts[parts.indexOf(target) - 1]
      default:
        return undefined
    }
  }
}
