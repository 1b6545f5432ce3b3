/** Runs the searches of the command palette for the text that was typed last. */

import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'

import { isAway, onConnection } from '../../api/connection.ts'
import { isLost } from '../../api/errors.ts'
import { useSettled } from '../../ui/use-settled.ts'
import type { Entry } from './entry.ts'
import type { Kind } from './search.ts'

/** Milliseconds without a key until the server is asked. */
const PAUSE = 200
/** The server runs one search of a user at a time and lets four wait; those of a text before may still be among them. */
const AT_ONCE = 3

export interface Found {
  readonly entries: readonly Entry[]
  readonly isSearching: boolean
  /** The server cannot be reached. */
  readonly isAway: boolean
  /** Some of the lists could not be searched. */
  readonly hasFailed: boolean
}

interface Answers {
  /** Of the searches for this text, which began together. */
  readonly signal: AbortSignal
  readonly text: string
  readonly kinds: readonly Kind[]
  readonly entries: readonly Entry[]
  readonly isDone: boolean
  readonly problem: 'away' | 'failed' | undefined
}

/** `text` undefined: nothing is searched. Answers to a text before are ignored, whenever they come. */
export function useSearch(text: string | undefined, kinds: readonly Kind[]): Found {
  const client = useQueryClient()
  const settled = useSettled(text, PAUSE)
  const away = useSyncExternalStore(onConnection, isAway)
  const [answers, setAnswers] = useState<Answers>()
  useEffect(() => {
    if (settled === undefined) return
    const controller = new AbortController()
    const { signal } = controller
    const update = (change: (now: Answers) => Partial<Answers>) => {
      if (signal.aborted) return
      const nothing: Answers = { signal, text: settled, kinds, entries: [], isDone: false, problem: undefined }
      setAnswers((before) => {
        const now = before?.signal === signal ? before : nothing
        return { ...now, ...change(now) }
      })
    }
    const left = [...kinds]
    const work = async () => {
      for (let kind = left.shift(); kind !== undefined && !signal.aborted; kind = left.shift())
        try {
          const found = await kind.find({ text: settled, signal, client })
          update(({ entries }) => ({ entries: [...entries, ...found] }))
        } catch (error) {
          update(({ problem }) => ({ problem: isLost(error) ? 'away' : (problem ?? 'failed') }))
        }
    }
    void Promise.all(Array.from({ length: AT_ONCE }, work)).then(() => update(() => ({ isDone: true })))
    return () => controller.abort()
  }, [settled, kinds, client])

  const isCurrent = answers !== undefined && answers.text === text && answers.kinds === kinds
  return {
    entries: isCurrent ? answers.entries : [],
    isSearching: text !== undefined && !(isCurrent && answers.isDone),
    isAway: away || (isCurrent && answers.problem === 'away'),
    hasFailed: isCurrent && answers.problem === 'failed',
  }
}
