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
/** Milliseconds until catching up is tried again; twice as many after each further failure. */
const RETRY = 3_000
const LONGEST_RETRY = 60_000

/** Messages between these two ids were not read yet. */
export interface Gap {
  readonly after: number
  /** The first message that follows. */
  readonly until: number
}

export interface Messages {
  /** Oldest first; undefined before the first answer. */
  readonly items: readonly Message[] | undefined
  readonly hasMore: boolean
  /** Undefined if all messages between the oldest and the newest one are here. */
  readonly gap: Gap | undefined
  readonly error: ApiError | undefined
  readonly isLoading: boolean
  readonly loadOlder: () => void
  /** Reads the next messages of the gap. */
  readonly fillGap: () => void
  /** Shows the answer of an operation that changed a message. */
  readonly replace: (messages: readonly Message[]) => void
  readonly clear: () => void
}

/** By their ids; the later one of two with the same id counts. */
const merged = (before: Iterable<Message> = [], after: readonly Message[]): ReadonlyMap<number, Message> =>
  new Map([...before, ...after].map((each) => [each.id, each]))

/** `wanted`: this message and those around it are read too, however old it is. */
export function useMessages(conversationId: number, wanted: number | undefined): Messages {
  const [byId, setById] = useState<ReadonlyMap<number, Message>>()
  const [hasMore, setHasMore] = useState(false)
  const [isLoading, setLoading] = useState(false)
  const [error, setError] = useState<ApiError>()
  /** Everything up to this number is here. It does not move while catching up. */
  const cursor = useRef(0)
  const isComplete = useRef(false)
  const [gap, setGap] = useState<Gap>()
  const loading = useRef<Promise<void>>(undefined)
  /** The latest catching up. Each new connection starts another one, which ends the one before. */
  const latest = useRef<object>(undefined)
  /**
   * Frames that came while messages are read. They are applied afterwards: an answer that is on its way can be older, and would show the
   * text of a recalled message.
   */
  const held = useRef<(() => void)[]>([])
  const isReading = useCallback(() => loading.current !== undefined || latest.current !== undefined, [])
  const whenRead = useCallback(
    (apply: () => void) => {
      if (isReading()) held.current.push(apply)
      else apply()
    },
    [isReading],
  )
  const release = useCallback(() => {
    if (!isReading()) for (const apply of held.current.splice(0)) apply()
  }, [isReading])

  const put = useCallback(
    (messages: readonly Message[]) => {
      const own = messages.filter((message) => message.conversationId === conversationId)
      if (own.length > 0) setById((before) => merged(before?.values(), own))
    },
    [conversationId],
  )

  /** One reading at a time; another one that is asked for meanwhile is left out. */
  const once = useCallback(
    (read: () => Promise<void>): Promise<void> => {
      loading.current ??= (async () => {
        setLoading(true)
        try {
          await read()
          setError(undefined)
        } catch (problem) {
          setError(problem as ApiError)
        }
        loading.current = undefined
        setLoading(false)
        release()
      })()
      return loading.current
    },
    [release],
  )
  const read = useCallback(
    (query: { beforeId?: number; afterId?: number }) =>
      call('conversations.history', { params: { id: conversationId }, query: { ...query, limit: PAGE } }),
    [conversationId],
  )
  const load = useCallback(
    (beforeId?: number): Promise<void> =>
      once(async () => {
        const page = await read(beforeId === undefined ? {} : { beforeId })
        setById((before) => merged(before?.values(), page.items))
        setHasMore(page.hasMore)
        if (beforeId !== undefined) return
        cursor.current = Math.max(cursor.current, page.items[0]?.id ?? 0)
        isComplete.current = true
      }),
    [once, read],
  )
  useEffect(() => void load(), [load])

  const items = byId && [...byId.values()].toSorted((a, b) => a.id - b.id)
  const oldest = items?.[0]?.id
  const readAfter = useCallback(
    async (after: number, until: number) => {
      const page = await read({ afterId: after })
      setById((before) => merged(before?.values(), page.items))
      const newest = page.items[0]?.id ?? until
      setGap(page.hasMore && newest < until ? { after: newest, until } : undefined)
    },
    [read],
  )
  useEffect(() => {
    if (wanted === undefined || oldest === undefined) return
    const isInGap = gap !== undefined && wanted > gap.after && wanted < gap.until
    if (!isInGap && (oldest <= wanted || !hasMore)) return
    void once(async () => {
      const until = gap?.until ?? oldest
      const page = await read({ beforeId: wanted + 1 })
      // Messages that were read for an earlier search are forgotten, so that there is one gap at most.
      setById((before) =>
        merged(
          [...(before?.values() ?? [])].filter(({ id }) => id >= until),
          page.items,
        ),
      )
      setHasMore(page.hasMore)
      setGap({ after: wanted, until })
      await readAfter(wanted, until)
    })
  }, [wanted, oldest, hasMore, gap, once, read, readAfter])

  const advance = useCallback((number: number) => {
    if (isComplete.current) cursor.current = Math.max(cursor.current, number)
  }, [])
  const onMessage = useCallback(
    ({ data }: Frame) =>
      whenRead(() => {
        put([data])
        advance(data.id)
      }),
    [put, advance, whenRead],
  )
  /** Messages of pages that were not read yet are left out: a gap would follow them. */
  const replace = useCallback((messages: readonly Message[]) => {
    setById((before) => {
      const known = messages.filter(({ id }) => before?.has(id))
      return known.length === 0 ? before : merged(before!.values(), known)
    })
  }, [])
  const onUpdated = useCallback(
    ({ data }: Frame) =>
      whenRead(() => {
        replace([data.message])
        advance(data.cursor)
      }),
    [replace, advance, whenRead],
  )
  const recall = useCallback((messageId: number, recalledAt: number) => {
    setById((before) => {
      const known = before?.get(messageId)
      if (known === undefined) return before
      return new Map([...before!, [messageId, { ...known, content: {}, recalled: true, recalledAt, reactions: [] }]])
    })
  }, [])
  const onRecalled = useCallback(
    ({ data }: Frame) =>
      whenRead(() => {
        recall(data.messageId, data.recalledAt)
        advance(data.cursor)
      }),
    [recall, advance, whenRead],
  )
  useEffect(() => () => (latest.current = undefined), [])
  const catchUp = useCallback(async () => {
    const own = (latest.current = {})
    isComplete.current = false
    const end = () => {
      latest.current = undefined
      release()
    }
    let failures = 0
    while (latest.current === own) {
      try {
        const page = await call('chats.sync', { query: { afterId: cursor.current } })
        if (latest.current !== own) return
        failures = 0
        put(page.messages)
        replace(page.updated)
        for (const { messageId, recalledAt } of page.recalled) recall(messageId, recalledAt)
        cursor.current = page.cursor
        isComplete.current = !page.hasMore
        if (!page.hasMore) return end()
      } catch (problem) {
        const { status } = problem as ApiError
        // A refusal stays one, for example because the session has ended.
        if (status >= 400 && status < 500 && status !== 429) return latest.current === own ? end() : undefined
        const pause = Math.min(LONGEST_RETRY, RETRY * 2 ** failures++)
        await new Promise((resolve) => setTimeout(resolve, pause))
      }
    }
  }, [put, replace, recall, release])
  const onHello = useCallback(async () => {
    sendUnreached()
    // Frames wait from here on, also while a page is read.
    const own = (latest.current = {})
    // The first page may have been read before the connection, so that frames between the two are missing.
    await loading.current
    if (latest.current !== own) return
    if (cursor.current > 0) return await catchUp()
    // There was nothing, or it could not be read.
    await load()
    if (latest.current !== own) return
    latest.current = undefined
    release()
  }, [load, catchUp, release])
  useLive('hello', onHello)
  useLive('message', onMessage)
  useLive('message.updated', onUpdated)
  useLive('message.recalled', onRecalled)
  useEffect(() => onSent(put), [put])

  return {
    items,
    hasMore,
    gap,
    error,
    isLoading,
    loadOlder: () => void (oldest !== undefined && load(oldest)),
    fillGap: () => void (gap !== undefined && once(() => readAfter(gap.after, gap.until))),
    replace,
    clear: () => {
      setById(new Map())
      setGap(undefined)
      setHasMore(false)
    },
  }
}
