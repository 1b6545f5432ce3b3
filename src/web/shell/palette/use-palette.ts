/** The state of the command palette: the typed text, the active entry and the keys. */

import { type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useNavigate } from 'react-router'

import type { Entry } from './entry.ts'
import type { Means } from './search.ts'
import type { Tasks } from './use-commands.ts'
import { LOCAL, useEntries } from './use-entries.ts'

export interface PaletteProps extends Pick<Tasks, 'signOut'>, Pick<Means, 'changeTarget'> {
  /** `hasOpened`: another page was opened and takes the focus, which otherwise returns to its place. */
  onClose: (hasOpened: boolean) => void
}

export function usePalette({ onClose, signOut, changeTarget }: PaletteProps) {
  const navigate = useNavigate()
  const input = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState('')
  const [isComposing, setComposing] = useState(false)
  const [isForPeople, setForPeople] = useState(false)
  /** The entry to which the user has moved; otherwise the first one is active. */
  const [moved, setMoved] = useState<string>()
  /** Enter was pressed before all answers were there. */
  const [isEager, setEager] = useState(false)
  const text = typed.trim()
  const { entries, found } = useEntries(text, { isComposing, isForPeople, changeTarget, signOut, writeToPerson })
  const active = entries.find(({ id }) => id === moved) ?? entries[0]

  function writeToPerson() {
    setForPeople(true)
    type('')
  }
  function type(next: string) {
    setTyped(next)
    setMoved(undefined)
    setEager(false)
  }
  const open = (entry: Entry, way: 'here' | 'tab' | 'second' = 'here') => {
    if (way === 'second' && entry.second === undefined) return
    const target = way === 'second' ? entry.second!.run : (entry.run ?? entry.to!)
    if (typeof target === 'function') {
      if (way === 'here' && entry.staysOpen) {
        target()
        input.current?.focus()
        return
      }
      onClose(false)
      target()
    } else if (way === 'tab') window.open(addressOf(target), '_blank', 'noopener')
    else if (target.startsWith('//')) location.assign(addressOf(target))
    else {
      onClose(true)
      void navigate(target)
    }
  }
  const openFirst = useEffectEvent(() => {
    if (entries[0] !== undefined) open(entries[0])
  })
  const { isSearching } = found
  useEffect(() => {
    if (isEager && !isSearching) openFirst()
  }, [isEager, isSearching])

  const move = (to: number) => setMoved(entries[(to + entries.length) % entries.length]?.id)
  const at = active === undefined ? -1 : entries.indexOf(active)
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing || event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown') move(at + 1)
    else if (event.key === 'ArrowUp') move(at - 1)
    else if (event.key === 'Home') move(0)
    else if (event.key === 'End') move(entries.length - 1)
    else if (event.key === 'Backspace' && typed === '' && isForPeople) setForPeople(false)
    else if (event.key === 'Enter') {
      const way = event.shiftKey ? 'second' : event.ctrlKey || event.metaKey ? 'tab' : 'here'
      const isCertain = moved !== undefined || (active !== undefined && LOCAL.has(active.group)) || !found.isSearching
      if (!isCertain && way === 'here') setEager(true)
      else if (active !== undefined) open(active, way)
    } else return
    event.preventDefault()
  }
  return { typed, type, text, isForPeople, setComposing, entries, found, active, setMoved, open, onKeyDown, input }
}

/** Paths that begin with `//` are outside the web application. */
const addressOf = (to: string): string => (to.startsWith('//') ? to.slice(2) : `/console${to}`)
