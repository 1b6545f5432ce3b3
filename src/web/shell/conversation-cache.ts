/**
 * Changes the conversations that were read from the server as the frames of the socket say. A message to a large group would
 * otherwise make every open web application read its whole list again.
 */

import type { QueryClient } from '@tanstack/react-query'

import type { Conversation, Message } from '../api/types.ts'
import type { Frame } from '../session/live.ts'

const LIST = ['conversations', 'list']
const ONE = ['conversations', 'get']

export interface Applied {
  /** By how much the number of unread messages has changed; undefined if the frame and the rows do not say. */
  readonly unread: number | undefined
  /** False: lists or conversations on the page must be read again. */
  readonly isWhole: boolean
}

/** `userId`: the signed-in user. */
export function applyFrame(client: QueryClient, frame: Frame, userId: number): Applied {
  const id = conversationOf(frame)
  let known: Conversation | undefined
  let next: Conversation | undefined
  let isWhole = true
  const change = (row: Conversation): Conversation => {
    const changed = changedBy(row, frame, userId)
    known ??= row
    next ??= changed
    if (changed === undefined) isWhole = false
    return changed ?? row
  }
  client.setQueriesData<Conversation>({ queryKey: ONE }, (row) => (row?.id === id ? change(row) : row))
  for (const query of client.getQueryCache().findAll({ queryKey: LIST })) {
    const before = query.state.data as Stored | undefined
    if (before === undefined) continue
    const rows = rowsOf(before)
    if (rows.some((row) => row.id === id)) {
      const after = moved(rows, id, change)
      if (after !== rows) client.setQueryData(query.queryKey, stored(before, after))
      // The list of unread conversations has one that was read.
      if (next && weightOf(next) === 0 && JSON.stringify(query.queryKey).includes('"unread":true')) isWhole = false
    } else if (frame.type === 'message' && query.isActive()) isWhole = false
  }
  return { unread: unreadBy(frame, userId, known, next), isWhole }
}

/** The part of a conversation in the number of unread messages: one more if the user has marked it as unread. */
export const weightOf = ({ unreadCount, markedUnread }: Conversation): number => unreadCount + Number(markedUnread)

const conversationOf = ({ type, data }: Frame): number =>
  type === 'conversation.updated' ? data.id : (data.message ?? data).conversationId

const isNew = ({ senderId, type }: Message, userId: number): boolean => senderId !== userId && type !== 'SYSTEM'

/** The row after the frame; undefined if the frame does not say it. */
function changedBy(row: Conversation, { type, data }: Frame, userId: number): Conversation | undefined {
  const last = row.lastMessage
  switch (type) {
    case 'message': {
      // Its event has changed the name or the members of the group.
      if (data.type === 'SYSTEM') return undefined
      if (last !== null && last.id >= data.id) return row
      const counts = isNew(data, userId)
      return {
        ...row,
        lastMessage: data,
        unreadCount: row.unreadCount + (counts ? 1 : 0),
        mentioned:
          row.mentioned ||
          (counts && (data.content.mentions?.includes(userId) === true || data.content.mentionsAll === true)),
      }
    }
    case 'message.updated':
      return last?.id === data.message.id ? { ...row, lastMessage: data.message } : row
    case 'message.recalled': {
      // Deleted for oneself: `conversation.updated` follows.
      if (data.deleted === true) return row
      const isLast = last !== null && last.id === data.messageId
      const isRead = row.unreadCount === 0 || data.messageId <= row.readUpToId
      if (!isRead && (!isLast || row.mentioned)) return undefined
      if (!isLast || last.recalled) return row
      return {
        ...row,
        lastMessage: {
          ...last,
          content: {},
          recalled: true,
          recalledAt: data.recalledAt,
          editedAt: null,
          reactions: [],
        },
        unreadCount: row.unreadCount - (!isRead && isNew(last, userId) ? 1 : 0),
      }
    }
    case 'read':
      if (data.userId !== userId)
        return row.peerReadUpToId === null || row.peer?.userId !== data.userId
          ? row
          : { ...row, peerReadUpToId: Math.max(row.peerReadUpToId, data.readUpToId) }
      if (data.readUpToId <= row.readUpToId) return row
      // How many of the messages after it are unread is not known.
      if (last !== null && data.readUpToId < last.id) return undefined
      return { ...row, readUpToId: data.readUpToId, unreadCount: 0, markedUnread: false, mentioned: false }
    case 'conversation.updated':
      return data.deleted === true || data.pinned !== row.pinned ? undefined : (data as Conversation)
    default:
      return undefined
  }
}

function unreadBy(
  { type, data }: Frame,
  userId: number,
  known: Conversation | undefined,
  next: Conversation | undefined,
): number | undefined {
  if (type === 'message.recalled' && data.deleted === true) return 0
  if (type === 'message.updated' || (type === 'read' && data.userId !== userId)) return 0
  if (known !== undefined && next !== undefined && (known !== next || type === 'read'))
    return weightOf(next) - weightOf(known)
  // A row that has the message already was read after it, perhaps together with the number.
  if (type === 'message' && known === undefined) return isNew(data, userId) ? 1 : 0
  return undefined
}

type Stored =
  | { readonly pages: readonly { readonly items: readonly Conversation[] }[] }
  | { readonly items: readonly Conversation[] }
  | readonly Conversation[]

const isArray = (data: Stored): data is readonly Conversation[] => Array.isArray(data)

function rowsOf(data: Stored): readonly Conversation[] {
  if (isArray(data)) return data
  return 'pages' in data ? data.pages.flatMap(({ items }) => items) : data.items
}

/** The rows in the form in which `before` had as many. */
function stored(before: Stored, rows: readonly Conversation[]): Stored {
  if (isArray(before)) return rows
  if (!('pages' in before)) return { ...before, items: rows }
  let start = 0
  const pages = before.pages.map((page) => ({ ...page, items: rows.slice(start, (start += page.items.length)) }))
  return { ...before, pages }
}

/** Changes a row. With a newer message it moves up: to the top if it is pinned, otherwise below the pinned ones. */
function moved(
  rows: readonly Conversation[],
  id: number,
  change: (row: Conversation) => Conversation,
): readonly Conversation[] {
  const index = rows.findIndex((row) => row.id === id)
  const row = rows[index]!
  const next = change(row)
  if (next === row) return rows
  if ((next.lastMessage?.id ?? 0) <= (row.lastMessage?.id ?? 0)) return rows.with(index, next)
  const others = rows.toSpliced(index, 1)
  const place = others.findIndex(({ pinned }) => next.pinned || !pinned)
  return others.toSpliced(place === -1 ? others.length : place, 0, next)
}
