/**
 * The messages of a conversation: pages of its history, frames of the socket, and after an interruption what `GET /api/chats/sync`
 * has (docs/chat.md, "Catching up").
 */

import { useCallback, useEffect, useRef, useState } from 'react'

import { call } from '../../api/client.ts'
import type { ApiError } from '../../api/errors.ts'
import type { Message } from '../../api/types.ts'
import { type Frame, useLive } from '../../session/live.ts'
import { onSent, sendUnreached } from './outbox.ts'

const PAGE = 50
/** Milliseconds until catching up is tried again. */
const RETRY = 3_000

export interface Messages {
  /** Oldest first; undefined before the first answer. */
  readonly items: readonly Message[] | undefined
  readonly hasMore: boolean
  readonly error: ApiError | undefined
  readonly isLoading: boolean
  readonly loadOlder: () => void
  /** Shows the answer of an operation that changed a message. */
  readonly replace: (messages: readonly Message[]) => void
  readonly clear: () => void
}

/** `wanted`: older pages are read until this message is among them. */
export function useMessages(conversationId: number, wanted: number | undefined): Messages {
  const [byId, setById] = useState<ReadonlyMap<number, Message>>()
  const [hasMore, setHasMore] = useState(false)
  const [isLoading, setLoading] = useState(false)
  const [error, setError] = useState<ApiError>()
  /** Everything up to this number is here. It does not move while catching up. */
  const cursor = useRef(0)
  const isComplete = useRef(false)
  const loading = useRef(false)

  const put = useCallback(
    (messages: readonly Message[]) =>
      setById((before) => {
        const own = messages.filter((message) => message.conversationId === conversationId)
        return own.length === 0 ? before : new Map([...(before ?? []), ...own.map((each) => [each.id, each] as const)])
      }),
    [conversationId],
  )

  const load = useCallback(
    (beforeId?: number): Promise<void> => {
      if (loading.current) return Promise.resolve()
      loading.current = true
      const query = { limit: PAGE, ...(beforeId !== undefined && { beforeId }) }
      return call('conversations.history', { params: { id: conversationId }, query })
        .then((page): void => {
          if (beforeId === undefined) {
            cursor.current = Math.max(cursor.current, page.items[0]?.id ?? 0)
            isComplete.current = true
          }
          setById((before) => new Map([...(before ?? []), ...page.items.map((each) => [each.id, each] as const)]))
          setHasMore(page.hasMore)
          return setError(undefined)
        })
        .catch((problem: unknown) => setError(problem as ApiError))
        .finally(() => (loading.current = false))
    },
    [conversationId],
  )
  useEffect(() => void load(), [load])

  const items = byId && [...byId.values()].toSorted((a, b) => a.id - b.id)
  const oldest = items?.[0]?.id
  useEffect(() => {
    if (wanted !== undefined && oldest !== undefined && oldest > wanted && hasMore) void load(oldest)
  }, [wanted, oldest, hasMore, load])

  const advance = useCallback((number: number) => {
    if (isComplete.current) cursor.current = Math.max(cursor.current, number)
  }, [])
  const onMessage = useCallback(
    ({ data }: Frame) => {
      put([data])
      advance(data.id)
    },
    [put, advance],
  )
  /** Messages of pages that were not read yet are left out: a gap would follow them. */
  const replace = useCallback((messages: readonly Message[]) => {
    setById((before) => {
      const known = messages.filter(({ id }) => before?.has(id))
      return known.length === 0 ? before : new Map([...before!, ...known.map((each) => [each.id, each] as const)])
    })
  }, [])
  const onUpdated = useCallback(
    ({ data }: Frame) => {
      replace([data.message])
      advance(data.cursor)
    },
    [replace, advance],
  )
  const recall = useCallback((messageId: number, recalledAt: number) => {
    setById((before) => {
      const known = before?.get(messageId)
      if (known === undefined) return before
      return new Map([...before!, [messageId, { ...known, content: {}, recalled: true, recalledAt, reactions: [] }]])
    })
  }, [])
  const onRecalled = useCallback(
    ({ data }: Frame) => {
      recall(data.messageId, data.recalledAt)
      advance(data.cursor)
    },
    [recall, advance],
  )
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const onHello = useCallback(() => {
    sendUnreached()
    // The first page is still being read, or there was nothing.
    if (cursor.current === 0) {
      void load()
      return
    }
    isComplete.current = false
    const catchUp = async (): Promise<void> => {
      try {
        for (;;) {
          const page = await call('chats.sync', { query: { afterId: cursor.current } })
          put(page.messages)
          replace(page.updated)
          for (const { messageId, recalledAt } of page.recalled) recall(messageId, recalledAt)
          cursor.current = page.cursor
          if (!page.hasMore) break
        }
        isComplete.current = true
      } catch {
        timer.current = setTimeout(() => void catchUp(), RETRY)
      }
    }
    void catchUp()
  }, [load, put, replace, recall])
  useLive('hello', onHello)
  useLive('message', onMessage)
  useLive('message.updated', onUpdated)
  useLive('message.recalled', onRecalled)
  useEffect(() => onSent(put), [put])

  return {
    items,
    hasMore,
    error: items === undefined ? error : undefined,
    isLoading,
    loadOlder: () => {
      if (oldest === undefined) return
      setLoading(true)
      void load(oldest).finally(() => setLoading(false))
    },
    replace,
    clear: () => setById(new Map()),
  }
}
