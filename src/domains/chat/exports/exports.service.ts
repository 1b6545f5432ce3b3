/**
 * Exports of conversations. They are made while they are sent: some hundred messages, a page, or a piece of a file are in memory at a time. Others in the
 * conversation are not notified, because the file has nothing that its reader could not read, copy and keep anyway.
 */

import type { AppContext } from '#context'
import { spend } from '#db/counters.ts'
import type { Db } from '#db/store.ts'
import { partyOf } from '#domains/access/index.ts'
import { isOpenSession } from '#domains/accounts/index.ts'
import { personsByIds } from '#domains/contacts/index.ts'
import { type ArchiveFile, bytesOfFiles } from '#domains/files/index.ts'
import { budgetUsedUp, usesOf } from '#http/budget.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { unauthorized } from '#http/errors.ts'
import { addGarbage, type ExportFile, sendExport } from '#http/exports.ts'
import { siteOf } from '#http/site.ts'
import { dayStamp } from '#http/tables.ts'
import { zoneOf } from '#http/validate.ts'
import { pause } from '#lib/pause.ts'
import type { ZipEntry } from '#lib/zip.ts'

import { notInConversation } from '../chat.errors.ts'
import { findListed } from '../conversations/conversations.service.ts'
import { historyOf } from '../conversations/history.store.ts'
import { findConversation, isNotes, type MemberRow, peerOf } from '../members.store.ts'
import type { Message } from '../messages/messages.model.ts'
import { filesOf } from '../messages/messages.rules.ts'
import { findSeen, type MessageRow } from '../messages/messages.store.ts'
import { loadExtras, toMessage } from '../messages/messages.view.ts'
import {
  CHAT_EXPORTS,
  type ExportQuery,
  MAX_FILE_BYTES,
  MESSAGES_AT_ONCE,
  MESSAGES_OF_PAGE,
  PAGE_CHARACTERS,
} from './exports.model.ts'
import {
  type ArchivedFile,
  dayHtml,
  messageHtml,
  type Page,
  type PageFacts,
  pageHtml,
  pagePath,
  type ShownMessage,
} from './pages.rules.ts'

const utf8 = new TextEncoder()

/** @throws AppError 403, 404, 429 */
export async function exportConversation(
  ctx: AppContext,
  actor: Actor,
  caller: Caller,
  id: number,
  query: ExportQuery,
): Promise<Response> {
  const zone = zoneOf(query)
  const exporting = new Export(ctx, actor, id)
  await exporting.checkMember()
  return sendExport(ctx, await partyOf(ctx, actor.userId, caller), async (reads) => {
    // Counted once it has its place, so that refusals cost nothing.
    const uses = await usesOf(ctx, CHAT_EXPORTS, { actor, caller })
    const now = ctx.clock.now()
    const refusal = await ctx.db.write('chat.countExport', (tx) => spend(tx, uses, now))
    if (refusal !== undefined) throw budgetUsedUp(refusal)
    const facts = await exporting.facts(query.lang ?? caller.locale, zone)
    return exporting.file(reads.readInWorker, facts, query.format)
  })
}

type ConversationFacts = PageFacts & { readonly type: string }

/** As the web application calls the conversation of a user with themselves. */
const NOTES = { en: 'Notes to myself', zh: '给自己的笔记' } as const

class Export {
  /** Nicknames of the users who were met. */
  readonly #names = new Map<number, string>()
  /** Ids of the files that the archive has: a file can be in several messages. */
  readonly #written = new Set<number>()
  #fileBytes = 0

  constructor(
    readonly ctx: AppContext,
    readonly actor: Actor,
    readonly id: number,
  ) {}

  /** The caller's member row, as long as the caller is a member and has the session. @throws AppError 401, 403, 404 */
  async checkMember(): Promise<MemberRow> {
    const { ctx, actor } = this
    const { userId, sessionId, key } = actor
    const row = await findListed(ctx.db.read, this.id, userId)
    if (row.leftAfter !== null) throw notInConversation()
    if (key === undefined && !(await isOpenSession(ctx.db.read, userId, sessionId, ctx.clock.now())))
      throw unauthorized('The session has ended', '会话已结束')
    return row
  }

  async facts(locale: PageFacts['locale'], zone: string): Promise<ConversationFacts> {
    const { ctx, actor } = this
    const conversation = (await findConversation(ctx.db.read, this.id))!
    const peerId = peerOf(conversation, actor.userId)
    await this.#learn(ctx.db.read, [actor.userId, ...(peerId === undefined ? [] : [peerId])])
    return {
      type: conversation.type,
      // Remarks on contacts are private, and people pass such files on.
      title: isNotes(conversation) ? NOTES[locale] : peerId === undefined ? conversation.name : this.#nameOf(peerId),
      server: siteOf(ctx).name,
      exportedBy: this.#nameOf(actor.userId),
      exportedAt: ctx.clock.now(),
      locale,
      zone,
    }
  }

  async file(db: Db, facts: ConversationFacts, format: ExportQuery['format']): Promise<ExportFile> {
    const name = `chat-${this.id}-${dayStamp(facts.exportedAt, facts.zone)}`
    if (format === 'json')
      return { pieces: this.#json(db, facts), type: 'application/json', name: `${name}.json`, rows: Infinity }
    const { zipOf } = await import('#lib/zip.ts')
    const pieces = zipOf(this.#entries(db, facts), facts.exportedAt, { isLarge: true })
    return { pieces, type: 'application/zip', name: `${name}.zip`, rows: Infinity }
  }

  /** Pages of messages, the oldest first. Each begins with a check, so that the export ends when the caller may no longer read. */
  async *#pages(db: Db): AsyncGenerator<readonly MessageRow[]> {
    // Not those that arrive meanwhile, so that it comes to an end.
    const { lastMessageId } = await this.checkMember()
    const beforeId = (lastMessageId ?? 0) + 1
    for (let afterId = 0; ;) {
      const member = await this.checkMember()
      const range = { beforeId, afterId, limit: MESSAGES_AT_ONCE }
      const rows = await historyOf(db, member, range)
      if (rows.length > 0) yield rows
      if (rows.length < MESSAGES_AT_ONCE) return
      afterId = rows.at(-1)!.id
      await pause()
    }
  }

  async *#json(db: Db, facts: ConversationFacts): AsyncGenerator<Uint8Array> {
    const { title, server, exportedBy, exportedAt, type } = facts
    const by = { userId: this.actor.userId, nickname: exportedBy }
    const head = JSON.stringify({ id: this.id, type, title, server, exportedBy: by, exportedAt })
    yield utf8.encode(`${head.slice(0, -1)},"messages":[`)
    let start = '\n'
    for await (const rows of this.#pages(db)) {
      let json = ''
      for (const message of await this.#shown(db, rows, new Map())) {
        json += start + JSON.stringify(jsonOf(message))
        start = ',\n'
      }
      addGarbage(this.ctx, json.length)
      yield utf8.encode(json)
    }
    yield utf8.encode('\n]}\n')
  }

  /** The pages of the archive, each behind its files. A page waits until it is known which one follows, because it has a link there. */
  async *#entries(db: Db, facts: ConversationFacts): AsyncGenerator<ZipEntry> {
    const { locale, zone } = facts
    const earlier: Omit<Page, 'body'>[] = []
    let waiting: Page | undefined
    let page = newPage(1)
    let count = 0
    for await (const rows of this.#pages(db)) {
      const archived = new Map<number, ArchivedFile>()
      const kept: MessageRow[] = []
      yield* this.#files(db, rows, archived, kept)
      for (const message of await this.#shown(db, kept, archived)) {
        if (count === MESSAGES_OF_PAGE || page.body.length > PAGE_CHARACTERS) {
          if (waiting !== undefined) yield entryOf(facts, waiting, { isLast: false, nextIsLast: false, others: [] })
          waiting = page
          earlier.push({ number: page.number, from: page.from, to: page.to })
          page = newPage(page.number + 1)
          count = 0
        }
        const { createdAt } = message
        const shown = dayHtml(count === 0 ? undefined : page.to, createdAt, zone) + messageHtml(message, locale, zone)
        page.body += shown
        addGarbage(this.ctx, shown.length)
        if (count === 0) page.from = createdAt
        page.to = createdAt
        count += 1
      }
    }
    if (waiting !== undefined) yield entryOf(facts, waiting, { isLast: false, nextIsLast: true, others: [] })
    yield entryOf(facts, page, { isLast: true, nextIsLast: false, others: earlier })
  }

  /** The files of messages. `archived` gets what their pages need, `kept` the messages as they are after their files were sent. */
  async *#files(
    db: Db,
    rows: readonly MessageRow[],
    archived: Map<number, ArchivedFile>,
    kept: MessageRow[],
  ): AsyncGenerator<ZipEntry> {
    const ids = rows.flatMap(({ content }) => filesOf(content).slice(0, 1))
    const files = new Map((await bytesOfFiles(db, ids)).map((file) => [file.id, file]))
    for (const row of rows) {
      const file = files.get(filesOf(row.content)[0] ?? 0)
      if (file === undefined) {
        kept.push(row)
        continue
      }
      // A slow reader takes minutes for the files of a page. Meanwhile a message can be recalled, and the caller can leave.
      await this.checkMember()
      const seen = await findSeen(this.ctx.db.read, row.id, this.actor.userId)
      if (seen === undefined) continue
      kept.push(seen.message)
      if (seen.message.recalledAt !== null) continue
      const isThere = this.#written.has(file.id) || (yield* this.#file(file))
      archived.set(row.id, { path: isThere ? file.path : null, name: file.name })
    }
  }

  /** Returns whether the archive has the file: not if its bytes are missing, or if there are too many. */
  async *#file({ id, path, size, key }: ArchiveFile): AsyncGenerator<ZipEntry, boolean> {
    if (this.#fileBytes + size > MAX_FILE_BYTES) return false
    const bytes = await this.ctx.blobs.read(key)
    if (bytes === undefined) return false
    this.#fileBytes += size
    this.#written.add(id)
    const pieces = bytes instanceof Blob ? bytes.stream() : bytes
    yield { name: path, pieces: pieces as unknown as AsyncIterable<Uint8Array>, isDense: true }
    return true
  }

  /** Messages with the names of people, as their reader sees them. */
  async #shown(
    db: Db,
    rows: readonly MessageRow[],
    archived: ReadonlyMap<number, ArchivedFile>,
  ): Promise<ShownMessage[]> {
    const extras = await loadExtras(db, rows)
    const messages = rows.map((row) => toMessage(this.ctx, row, extras))
    await this.#learn(db, messages.flatMap(peopleIn))
    return messages.map((message) => ({
      ...message,
      sender: this.#nameOf(message.senderId),
      reply: message.replyTo && { ...message.replyTo, sender: this.#nameOf(message.replyTo.senderId) },
      names: subjectsOf(message).map((userId) => this.#nameOf(userId)),
      remover: this.#nameOf(message.removal?.userId ?? null),
      file: archived.get(message.id) ?? null,
    }))
  }

  /** Reads the names of those users that were not met before. */
  async #learn(db: Db, userIds: readonly number[]): Promise<void> {
    const unknown = [...new Set(userIds)].filter((userId) => !this.#names.has(userId))
    for (const { userId, nickname } of (await personsByIds(this.ctx, db, unknown)).values())
      this.#names.set(userId, nickname)
  }

  #nameOf(userId: number | null): string {
    return (userId !== null && this.#names.get(userId)) || ''
  }
}

/** The users that a SYSTEM message is about. */
const subjectsOf = ({ type, content }: Message): readonly number[] =>
  type === 'SYSTEM' && Array.isArray(content['userIds']) ? (content['userIds'] as number[]) : []

const peopleIn = (message: Message): number[] =>
  [message.senderId, message.replyTo?.senderId, message.removal?.userId, ...subjectsOf(message)].filter(
    (userId) => typeof userId === 'number',
  )

const newPage = (number: number): { -readonly [K in keyof Page]: Page[K] } => ({ number, from: 0, to: 0, body: '' })

const entryOf = (facts: PageFacts, page: Page, links: Parameters<typeof pageHtml>[2]): ZipEntry => ({
  name: pagePath(page.number, links.isLast),
  data: utf8.encode(pageHtml(facts, page, links)),
  deflate: true,
})

/** Without the addresses of files, which end after an hour. */
function jsonOf({ content, ...message }: ShownMessage) {
  const { url: _, thumbnailUrl: __, ...kept } = content
  return {
    id: message.id,
    senderId: message.senderId,
    senderName: message.sender,
    type: message.type,
    content: kept,
    replyToId: message.replyToId,
    replyTo: message.reply,
    reactions: message.reactions,
    forwarded: message.forwarded,
    recalled: message.recalled,
    recalledAt: message.recalledAt,
    removal: message.removal,
    editedAt: message.editedAt,
    createdAt: message.createdAt,
  }
}
