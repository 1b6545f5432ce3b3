/**
 * A client of the chat as a phone is: a socket that comes and goes, and a copy of all messages. The copy only ever moves forward by its cursor,
 * so a message that the server skips once stays missing. Everything that a correct server never does is collected in `problems`.
 */

export interface Message {
  readonly id: number
  readonly conversationId: number
  readonly senderId: number | null
  readonly type: string
  readonly content: Readonly<Record<string, unknown>>
  readonly clientMsgId: string | null
  readonly createdAt: number
  readonly recalledAt: number | null
  readonly editedAt: number | null
  readonly pin: { readonly userId: number; readonly pinnedAt: number } | null
  readonly removal: { readonly by: string; readonly userId: number | null; readonly reason: string } | null
}

export interface Recall {
  readonly messageId: number
  readonly conversationId: number
  readonly recalledAt: number
  /** The user has deleted the message for themselves. */
  readonly deleted?: boolean
}

export interface SyncPage {
  readonly messages: readonly Message[]
  readonly recalled: readonly Recall[]
  readonly updated: readonly Message[]
  readonly conversations: readonly { readonly id: number }[]
  readonly cursor: number
  readonly hasMore: boolean
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into frames of every type
export type Frame = { readonly type: string; readonly id?: string; readonly data: any }

/** Where the phone sends its next request; several processes take turns. */
export type NextUrl = () => string

export interface Account {
  readonly id: number
  readonly token: string
  readonly deviceId: string
}

/** The server does not answer at the moment: it was killed, is starting, or has lost its database. The client tries again. */
export class Unavailable extends Error {}

/** One request. @throws Unavailable if it should be repeated; Error for an answer that no client should get */
export async function request<T>(
  { token, deviceId }: Account,
  url: NextUrl,
  method: string,
  path: string,
  options: { body?: unknown; signal?: AbortSignal } = {},
): Promise<T> {
  let status: number
  let text: string
  try {
    const response = await fetch(url() + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'x-device-id': deviceId,
        ...(options.body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
      ...(options.signal && { signal: options.signal }),
    })
    status = response.status
    text = await response.text()
  } catch (error) {
    throw new Unavailable(String(error))
  }
  if (status >= 500) throw new Unavailable(`${status} ${text}`)
  if (status !== 200) throw new Error(`${method} ${path} answered ${status}: ${text}`)
  return (JSON.parse(text) as { data: T }).data
}

export class Phone {
  /** The messages that this phone knows, in the order in which it learned of them. */
  readonly messages: Message[] = []
  /** Also those that the user has deleted. */
  readonly recalled = new Set<number>()
  readonly deleted = new Set<number>()
  readonly problems: string[] = []
  /** Messages and recalls that came over sockets, messages that came by `sync`, sockets, and those of them that had caught up. */
  readonly counts = { byFrame: 0, bySync: 0, sockets: 0, caughtUp: 0 }
  cursor = 0
  #socket: WebSocket | undefined
  #running: Promise<void> | undefined
  #isEnding = false

  constructor(
    readonly account: Account,
    private readonly url: NextUrl,
    readonly name = `user ${account.id}`,
  ) {}

  /** The messages of users. */
  get written(): readonly Message[] {
    return this.messages.filter(({ type }) => type !== 'SYSTEM')
  }

  /** Keeps a socket open until `end`, and catches up after each handshake. */
  start(): void {
    this.#isEnding = false
    this.#running = (async () => {
      while (!this.#isEnding) {
        try {
          await this.#session()
        } catch (error) {
          if (!(error instanceof Unavailable)) this.problems.push(`${this.name}: ${String(error)}`)
        }
        // Otherwise phones without a server would keep the machine busy.
        if (!this.#isEnding) await Bun.sleep(20)
      }
    })()
  }

  /** Loses the connection without a goodbye. */
  disconnect(): void {
    this.#socket?.terminate()
  }

  async end(): Promise<void> {
    this.#isEnding = true
    this.disconnect()
    await this.#running
  }

  /** Everything after the cursor, by `sync`. @throws Unavailable in the middle; what came until then is kept */
  async catchUp(limit = 100): Promise<void> {
    for (;;) {
      const page = await request<SyncPage>(
        this.account,
        this.url,
        'GET',
        `/api/chats/sync?afterId=${this.cursor}&limit=${limit}`,
      )
      let last = this.cursor
      for (const message of page.messages) {
        this.#expect(message.id > last && message.id <= page.cursor, `sync gave ${message.id} after ${last}`)
        last = message.id
        this.counts.bySync++
        this.#learn(message)
      }
      for (const message of page.updated) this.#replace(message)
      for (const recall of page.recalled) this.#recall(recall)
      this.#expect(page.cursor >= this.cursor, `sync went back from ${this.cursor} to ${page.cursor}`)
      this.#expect(!page.hasMore || page.cursor > this.cursor, `sync has more but stays at ${this.cursor}`)
      if (page.hasMore && page.cursor === this.cursor) return
      this.cursor = page.cursor
      if (!page.hasMore) return
    }
  }

  /** From the handshake to the end of the socket. */
  async #session(): Promise<void> {
    const socket = new WebSocket(`${this.url().replace(/^http/, 'ws')}/ws/chat?token=${this.account.token}`)
    this.#socket = socket
    const hello = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<void>()
    const early: Frame[] = []
    let isLive = false
    // The highest number that this socket has delivered.
    let last = 0
    const take = ({ type, data }: Frame) => {
      if (type !== 'message' && type !== 'message.recalled' && type !== 'message.updated') return
      const number: number = type === 'message' ? data.id : data.cursor
      this.#expect(number > last, `one socket delivered ${number} (${type}) after ${last}`)
      last = number
      // Came by `sync` as well, which may be ahead of the socket.
      if (number <= this.cursor) return
      this.cursor = number
      this.counts.byFrame++
      if (type === 'message') this.#learn(data)
      else if (type === 'message.updated') this.#replace(data.message)
      else this.#recall(data)
    }
    socket.addEventListener('message', ({ data }) => {
      const frame = JSON.parse(data as string) as Frame
      if (frame.type === 'hello') hello.resolve()
      else if (isLive) take(frame)
      else early.push(frame)
    })
    const onEnd = () => {
      closed.resolve()
      hello.reject(new Unavailable('the socket closed before hello'))
    }
    socket.addEventListener('close', onEnd)
    socket.addEventListener('error', onEnd)
    try {
      await hello.promise
      this.counts.sockets++
      await this.catchUp()
      for (const frame of early) take(frame)
      isLive = true
      this.counts.caughtUp++
      await closed.promise
    } finally {
      socket.terminate()
    }
  }

  #learn(message: Message): void {
    this.messages.push(message)
    if (message.recalledAt !== null) this.recalled.add(message.id)
  }

  #recall({ messageId, deleted }: Recall): void {
    this.recalled.add(messageId)
    if (deleted === true) this.deleted.add(messageId)
  }

  #replace(message: Message): void {
    const at = this.messages.findIndex(({ id }) => id === message.id)
    this.#expect(at >= 0, `${message.id} has changed, and is unknown`)
    if (at >= 0) this.messages[at] = message
  }

  #expect(isRight: boolean, problem: string): void {
    if (!isRight) this.problems.push(`${this.name}: ${problem}`)
  }
}
