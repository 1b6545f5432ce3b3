/**
 * The messages of one conversation: pages of its history, frames of the socket, and after an interruption what `GET /api/chats/sync`
 * has (docs/chat.md, "Catching up").
 */

import { call } from '../../api/client.ts'
import type { ApiError } from '../../api/errors.ts'
import type { Message } from '../../api/types.ts'
import type { Frame } from '../../session/live.ts'
import { sendUnreached } from './outbox.ts'

const PAGE = 50
/** Characters that a reply shows of the message it answers (docs/chat.md). */
const EXCERPT = 100
/** Milliseconds until catching up is tried again; twice as many after each further failure. */
const RETRY = 3_000
const LONGEST_RETRY = 60_000

/** Messages between these two ids were not read yet. */
export interface Gap {
  readonly after: number
  /** The first message that follows. */
  readonly until: number
}

export interface MessageState {
  /** Oldest first; undefined before the first answer. */
  readonly items: readonly Message[] | undefined
  readonly hasMore: boolean
  /** Undefined if all messages between the oldest and the newest one are here. */
  readonly gap: Gap | undefined
  readonly error: ApiError | undefined
  readonly isLoading: boolean
}

/** Oldest first; the later one of two with the same id counts. */
const merged = (before: readonly Message[] = [], after: readonly Message[]): readonly Message[] =>
  [...new Map([...before, ...after].map((each) => [each.id, each])).values()].toSorted((a, b) => a.id - b.id)

export class MessageStore {
  private state: MessageState = { items: undefined, hasMore: false, gap: undefined, error: undefined, isLoading: false }
  private readonly listeners = new Set<() => void>()
  /** Everything up to this number is here. It does not move while catching up. */
  private cursor = 0
  private isComplete = false
  private loading: Promise<void> | undefined
  /** The latest catching up. Each new connection starts another one, which ends the one before. */
  private latest: object | undefined
  /**
   * Frames that came while messages are read. They are applied afterwards: an answer that is on its way can be older, and would show the
   * text of a recalled message.
   */
  private held: (() => void)[] = []

  constructor(private readonly conversationId: number) {}

  readonly read = (): MessageState => this.state
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  private change(part: Partial<MessageState>): void {
    this.state = { ...this.state, ...part }
    for (const listener of this.listeners) listener()
  }

  /** Messages of frames and of answers to changes are the same for all members: the counts of readers stay. */
  private add(messages: readonly Message[]): void {
    const counts = new Map(this.state.items?.map(({ id, readCount }) => [id, readCount]))
    const counted = messages.map((message) => {
      const readCount = message.recalled ? undefined : (message.readCount ?? counts.get(message.id))
      return readCount === undefined ? message : { ...message, readCount }
    })
    this.change({ items: merged(this.state.items, counted) })
  }

  readonly put = (messages: readonly Message[]): void => {
    const own = messages.filter((message) => message.conversationId === this.conversationId)
    if (own.length > 0) this.add(own)
  }

  /** Replaces messages that have changed. It skips those of pages that were not read yet, because a gap would follow them. */
  readonly replace = (messages: readonly Message[]): void => {
    const known = messages.filter(({ id }) => this.state.items?.some((each) => each.id === id))
    if (known.length > 0) this.add(known)
    for (const { id, type, content } of messages)
      if (type === 'TEXT')
        this.quote(
          id,
          Array.from(String(content['text'] ?? ''))
            .slice(0, EXCERPT)
            .join(''),
        )
  }

  /** Shows the new text of a message in the replies to it. */
  private quote(id: number, excerpt: string): void {
    const replies = (this.state.items ?? []).flatMap((each) =>
      each.replyTo?.id === id && each.replyTo.excerpt !== excerpt
        ? [{ ...each, replyTo: { ...each.replyTo, excerpt } }]
        : [],
    )
    if (replies.length > 0) this.add(replies)
  }

  /** Takes messages out that the user has deleted. */
  readonly remove = (messageId: number): void =>
    this.change({ items: this.state.items?.filter(({ id }) => id !== messageId) })

  private recall({
    messageId,
    recalledAt,
    removal = null,
    deleted,
  }: {
    messageId: number
    recalledAt: number
    removal?: Message['removal']
    deleted?: boolean
  }): void {
    if (deleted === true) return this.remove(messageId)
    const known = this.state.items?.find(({ id }) => id === messageId)
    if (known !== undefined)
      this.add([{ ...known, content: {}, recalled: true, recalledAt, removal, editedAt: null, reactions: [] }])
    this.quote(messageId, '')
  }

  readonly clear = (): void => this.change({ items: [], gap: undefined, hasMore: false })

  // Pages of the history

  private async page(query: { beforeId?: number; afterId?: number }): Promise<{ items: Message[]; hasMore: boolean }> {
    return await call('conversations.history', {
      params: { id: this.conversationId },
      query: { ...query, limit: PAGE },
    })
  }

  /** Runs one read at a time: a second call waits for the first and starts none. `read` resolves to the part of the state that changed. */
  private async once(read: () => Promise<Partial<MessageState>>): Promise<void> {
    const run = async () => {
      this.change({ isLoading: true })
      const part = await read().then(
        (changed) => ({ ...changed, error: undefined }),
        (error: ApiError) => ({ error }),
      )
      // A listener may read the next messages at once.
      this.loading = undefined
      this.change({ ...part, isLoading: false })
      this.release()
    }
    this.loading ??= run()
    await this.loading
  }

  /** Reads the newest messages. */
  async load(): Promise<void> {
    await this.once(async () => {
      const { items, hasMore } = await this.page({})
      this.cursor = Math.max(this.cursor, items[0]?.id ?? 0)
      this.isComplete = true
      return { items: merged(this.state.items, items), hasMore }
    })
  }

  readonly loadOlder = (): void => {
    const beforeId = this.state.items?.[0]?.id
    if (beforeId === undefined) return
    void this.once(async () => {
      const { items, hasMore } = await this.page({ beforeId })
      return { items: merged(this.state.items, items), hasMore }
    })
  }

  private async readAfter(after: number, until: number): Promise<Partial<MessageState>> {
    const { items, hasMore } = await this.page({ afterId: after })
    const newest = items[0]?.id ?? until
    return {
      items: merged(this.state.items, items),
      gap: hasMore && newest < until ? { after: newest, until } : undefined,
    }
  }

  /** Reads the next messages of the gap. */
  readonly fillGap = (): void => {
    const { gap } = this.state
    if (gap !== undefined) void this.once(() => this.readAfter(gap.after, gap.until))
  }

  /** Reads this message and those around it, however old it is, unless they are here. */
  show(wanted: number): void {
    const { items, gap, hasMore } = this.state
    const oldest = items?.[0]?.id
    if (oldest === undefined) return
    const isInGap = gap !== undefined && wanted > gap.after && wanted < gap.until
    if (!isInGap && (oldest <= wanted || !hasMore)) return
    void this.once(async () => {
      const until = gap?.until ?? oldest
      const page = await this.page({ beforeId: wanted + 1 })
      // Messages that were read for an earlier search are forgotten, so that there is one gap at most.
      const kept = this.state.items?.filter(({ id }) => id >= until)
      this.change({ items: merged(kept, page.items), hasMore: page.hasMore, gap: { after: wanted, until } })
      return await this.readAfter(wanted, until)
    })
  }

  // Frames of the socket

  private get isReading(): boolean {
    return this.loading !== undefined || this.latest !== undefined
  }

  private whenRead(apply: () => void): void {
    if (this.isReading) this.held.push(apply)
    else apply()
  }

  private release(): void {
    if (!this.isReading) for (const apply of this.held.splice(0)) apply()
  }

  private advance(number: number): void {
    if (this.isComplete) this.cursor = Math.max(this.cursor, number)
  }

  readonly onMessage = ({ data }: Frame): void =>
    this.whenRead(() => {
      this.put([data])
      this.advance(data.id)
    })

  readonly onUpdated = ({ data }: Frame): void =>
    this.whenRead(() => {
      this.replace([data.message])
      this.advance(data.cursor)
    })

  readonly onRecalled = ({ data }: Frame): void =>
    this.whenRead(() => {
      this.recall(data)
      this.advance(data.cursor)
    })

  /** Members have read messages of the user. */
  readonly onRead = ({ data }: Frame): void => {
    if (data.conversationId !== this.conversationId) return
    const counts = data.counts as readonly { messageId: number; readCount: number }[]
    this.whenRead(() => this.count(new Map(counts.map(({ messageId, readCount }) => [messageId, readCount]))))
  }

  private count(counts: ReadonlyMap<number, number>): void {
    const known = (this.state.items ?? []).filter(({ id, recalled }) => counts.has(id) && !recalled)
    this.add(known.map((message) => ({ ...message, readCount: counts.get(message.id)! })))
  }

  /** Reads the counts of the newest messages again, of which frames are missing after an interruption. */
  private async countAgain(): Promise<void> {
    if (this.state.items?.some(({ readCount }) => readCount !== undefined) !== true) return
    const page = await this.page({}).catch(() => ({ items: [] }))
    const counts = page.items.flatMap(({ id, readCount }) =>
      readCount === undefined ? [] : [[id, readCount] as const],
    )
    this.count(new Map(counts))
  }

  // Catching up

  readonly onHello = async (): Promise<void> => {
    sendUnreached()
    // Frames wait from here on, also while a page is read.
    const own = (this.latest = {})
    // The first page may have been read before the connection, so that frames between the two are missing.
    await this.loading
    if (this.latest !== own) return
    if (this.cursor > 0) return await this.catchUp()
    // There was nothing, or it could not be read.
    await this.load()
    if (this.latest === own) this.stop()
  }

  /** Ends the catching up, and applies the frames that waited for it. */
  private stop(): void {
    this.latest = undefined
    this.release()
  }

  /** The conversation is no longer shown. */
  close(): void {
    this.latest = undefined
  }

  private async catchUp(): Promise<void> {
    const own = (this.latest = {})
    this.isComplete = false
    let failures = 0
    while (this.latest === own) {
      try {
        const page = await call('chats.sync', { query: { afterId: this.cursor } })
        if (this.latest !== own) return
        failures = 0
        this.put(page.messages)
        this.replace(page.updated)
        for (const each of page.recalled) this.recall(each)
        this.cursor = page.cursor
        this.isComplete = !page.hasMore
        if (!page.hasMore) {
          this.stop()
          return void this.countAgain()
        }
      } catch (problem) {
        const { status } = problem as ApiError
        // A refusal stays one, for example because the session has ended.
        if (status >= 400 && status < 500 && status !== 429) return this.latest === own ? this.stop() : undefined
        const pause = Math.min(LONGEST_RETRY, RETRY * 2 ** failures++)
        await new Promise((resolve) => setTimeout(resolve, pause))
      }
    }
  }
}
