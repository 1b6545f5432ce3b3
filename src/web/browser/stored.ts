/** A choice of the user that this browser keeps, and that all its tabs share. */

import { useSyncExternalStore } from 'react'

import { storage } from './storage.ts'

export interface Stored<T> {
  readonly get: () => T
  readonly set: (value: T) => void
  readonly subscribe: (listener: () => void) => () => void
  /** The value in components, which are drawn again when it changes. */
  readonly use: () => T
}

/** `initial`: as long as the user has chosen nothing. */
export function stored<T>(key: string, initial: T): Stored<T> {
  const read = (): T => {
    try {
      return JSON.parse(storage.getItem(key) ?? '') as T
    } catch {
      return initial
    }
  }
  let value = read()
  const listeners = new Set<() => void>()
  const change = (next: T): void => {
    value = next
    for (const listener of listeners) listener()
  }
  window.addEventListener('storage', (event) => {
    if (event.key === key) change(read())
  })
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  return {
    get: () => value,
    set(next) {
      storage.setItem(key, JSON.stringify(next))
      change(next)
    },
    subscribe,
    use: () => useSyncExternalStore(subscribe, () => value),
  }
}
