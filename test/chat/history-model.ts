/**
 * A simple model of contacts and chat, for random histories. It keeps lists of events and counts them again for each question, where the
 * product keeps counts.
 */

import type { Message } from './phone.ts'

export const DAY = 24 * 3_600_000

export type WhoMayRequest = 'EVERYONE' | 'ORG_MEMBERS' | 'CARD_ONLY' | 'NOBODY'
export type WhoMayMessage = 'CONTACTS' | 'ORG_MEMBERS' | 'EVERYONE'

export interface User {
  readonly id: number
  readonly name: string
  readonly nickname: string
  /** Of the one organization of the history. */
  readonly isMember: boolean
  whoMayRequest: WhoMayRequest
  whoMayMessage: WhoMayMessage
  readReceipts: boolean
  cardCode: string | undefined
  oldCodes: string[]
  /** The rows of contacts and of blocked users, by the other user's id. */
  readonly contacts: Map<number, Contact>
  /** When the user has last looked up another one by card code. */
  readonly lookups: Map<number, number>
}

export interface Contact {
  /** Undefined until an answer has shown it. */
  id: number | undefined
  isContact: boolean
  blocked: boolean
  remark: string
  tags: readonly string[]
}

export interface Request {
  readonly id: number
  readonly from: User
  readonly to: User
  readonly message: string
  /** The sender's remark for the contact. */
  readonly remark: string
  status: 'PENDING' | 'ACCEPTED' | 'REJECTED'
  readonly isHidden: boolean
  readonly expiresAt: number
  handledAt: number | undefined
}

export interface Sent extends Message {
  readonly forwarded: boolean
  readonly content: Readonly<Record<string, unknown>>
  /** Of the `toUserId` or `conversationId` and everything else that was sent with the key. */
  recalledAt: number | null
  /** Of a message that others have removed. */
  removal: Message['removal']
  /** The recall has a number between this id and that of the next message. */
  recalledAfter: number | undefined
  editedAt: number | null
  /** As `recalledAfter`, of the last edit. */
  editedAfter: number | undefined
  pin: Message['pin']
  /** As `recalledAfter`, of the last time it was pinned or unpinned. */
  pinnedAfter: number | undefined
  /** The users who have deleted it for themselves; the deletion has a number between this id and that of the next message. */
  readonly deletedBy: Map<User, number>
  /** Whom any version of the text has mentioned. */
  told: readonly number[]
}

export interface Member {
  readonly user: User
  /** The newest message that mentions the user; 0 once that message no longer mentions the user. */
  mentionedAt: number
  /** In a group; of former members the last one. */
  role: GroupRole
  /** In a group: the order in which the members have joined. Those of one change are ordered by id. */
  joined: number
  /** The user has left the group and sees messages up to this id, which is the one about the departure. */
  leftAfter: number | undefined
  /** The user sees messages above. */
  clearedUpTo: number
  /** Earlier messages were sent before the user joined the group. */
  joinedAfter: number
  readUpTo: number
  /** `readUpTo` for the other user: it stays while either has blocked the other, until the next read mark. */
  shownUpTo: number
  hidden: boolean
  pinned: boolean
  muted: boolean
  markedUnread: boolean
  draft: string
  draftVersion: number
}

export type GroupRole = 'OWNER' | 'ADMIN' | 'MEMBER'

export interface Conversation {
  readonly id: number
  readonly createdAt: number
  readonly type: 'DIRECT' | 'GROUP'
  /** A direct one with oneself. */
  readonly isNotes?: boolean
  /** Of groups. */
  name: string
  /** Of groups: ordinary members may pin messages. */
  membersPin: boolean
  readonly members: Member[]
  readonly messages: Sent[]
}

export const isMemberOf = ({ members }: Conversation, user: User): boolean => members.some((m) => m.user === user)
export const memberOf = ({ members }: Conversation, user: User): Member => members.find((m) => m.user === user)!
/** Of notes it is the user. */
export const peerOf = ({ members }: Conversation, user: User): Member =>
  members.find((m) => m.user !== user) ?? members[0]!

/** An empty draft has no version of its own. */
export function endDraft(member: Member): void {
  if (member.draft !== '') Object.assign(member, { draft: '', draftVersion: member.draftVersion + 1 })
}

export const isPresent = (conversation: Conversation, user: User): boolean =>
  isMemberOf(conversation, user) && memberOf(conversation, user).leftAfter === undefined

export const presentMembers = ({ members }: Conversation): Member[] =>
  members.filter(({ leftAfter }) => leftAfter === undefined)

/** The heir of a group: the administrator, or else the member, who has been in it longest. */
export const heirOf = (group: Conversation): Member | undefined =>
  presentMembers(group).toSorted(
    (a, b) => Number(b.role === 'ADMIN') - Number(a.role === 'ADMIN') || a.joined - b.joined || a.user.id - b.user.id,
  )[0]

export const newMember = (user: User, clearedUpTo = 0): Member => ({
  user,
  mentionedAt: 0,
  role: 'MEMBER',
  joined: 0,
  leftAfter: undefined,
  clearedUpTo,
  joinedAfter: clearedUpTo,
  readUpTo: 0,
  shownUpTo: 0,
  hidden: false,
  pinned: false,
  muted: false,
  markedUnread: false,
  draft: '',
  draftVersion: 0,
})

export function visible(conversation: Conversation, user: User): Sent[] {
  const { clearedUpTo, leftAfter = Infinity } = memberOf(conversation, user)
  return conversation.messages.filter(
    ({ id, deletedBy }) => id > clearedUpTo && id <= leftAfter && !deletedBy.has(user),
  )
}

export const MAX_PINS = 3

/** The latest pinned first. */
export const pinnedIn = ({ messages }: Conversation): Sent[] =>
  messages
    .filter(({ pin, recalledAt }) => pin !== null && recalledAt === null)
    .toSorted((a, b) => b.pin!.pinnedAt - a.pin!.pinnedAt || b.id - a.id)

/** Whether the user has not read the newest message that mentions the user. */
export function isMentioned(conversation: Conversation, user: User): boolean {
  const { mentionedAt, readUpTo, clearedUpTo } = memberOf(conversation, user)
  return mentionedAt > Math.max(readUpTo, clearedUpTo)
}

const mentionsOf = ({ members }: Conversation, content: Sent['content']): readonly number[] =>
  content['mentionsAll'] === true
    ? members.map(({ user }) => user.id)
    : ((content['mentions'] ?? []) as readonly number[])

/** Notes for the members the mentions of a new message, or of the new ones of an edited message. */
export function tellOfMentions(conversation: Conversation, message: Sent, before: Sent['content'] = {}): void {
  const mentions = mentionsOf(conversation, message.content)
  for (const member of presentMembers(conversation)) {
    const { id } = member.user
    if (id === message.senderId) continue
    if (!mentions.includes(id)) {
      if (mentionsOf(conversation, before).includes(id) && member.mentionedAt === message.id) member.mentionedAt = 0
    } else if (!message.told.includes(id) && message.id > Math.max(member.readUpTo, member.clearedUpTo))
      member.mentionedAt = Math.max(member.mentionedAt, message.id)
  }
  message.told = [...new Set([...message.told, ...mentions])]
}

export const lastOf = (conversation: Conversation, user: User): Sent | undefined => visible(conversation, user).at(-1)

export const unreadOf = (conversation: Conversation, user: User): number =>
  visible(conversation, user).filter(
    ({ id, senderId, recalledAt }) =>
      senderId !== null && senderId !== user.id && recalledAt === null && id > memberOf(conversation, user).readUpTo,
  ).length

/** The users who have read a message of the viewer, as far as the viewer sees it, and the number of the others to whom it was sent. */
export function readersOf(conversation: Conversation, { id }: Sent, viewer: User): { readers: User[]; others: number } {
  const sentTo = presentMembers(conversation).filter(({ user, joinedAfter }) => user !== viewer && id > joinedAfter)
  const readers = sentTo.filter(
    ({ user, shownUpTo }) =>
      user.readReceipts && shownUpTo >= id && (conversation.type === 'DIRECT' || !isBlocked(user, viewer)),
  )
  return { readers: readers.map(({ user }) => user), others: sentTo.length - readers.length }
}

/** The number of readers in the history of the viewer. */
export function readCountOf(conversation: Conversation, message: Sent, viewer: User): number | undefined {
  const isCounted =
    conversation.type === 'GROUP' &&
    isPresent(conversation, viewer) &&
    message.senderId === viewer.id &&
    message.recalledAt === null &&
    viewer.readReceipts
  return isCounted ? readersOf(conversation, message, viewer).readers.length : undefined
}

const blocks = (user: User, other: User): boolean => user.contacts.get(other.id)?.blocked ?? false
export const isBlocked = (user: User, other: User): boolean => blocks(user, other) || blocks(other, user)
export const hasContact = (user: User, other: User): boolean => user.contacts.get(other.id)?.isContact ?? false
export const isTwoWay = (user: User, other: User): boolean => hasContact(user, other) && hasContact(other, user)

/** The code of the refusal of a direct message; undefined if it is allowed. */
export function messageRefusal(from: User, to: User): 4011 | 4012 | undefined {
  if (from === to) return undefined
  if (isBlocked(from, to)) return 4012
  const mayAnyway =
    to.whoMayMessage === 'EVERYONE' || (to.whoMayMessage === 'ORG_MEMBERS' && from.isMember && to.isMember)
  return mayAnyway || isTwoWay(from, to) ? undefined : 4011
}

/** Whether the privacy settings of `to` let `from` ask. */
export function takesRequest(from: User, to: User, isByCode: boolean): boolean {
  if (to.whoMayRequest === 'EVERYONE') return true
  if (to.whoMayRequest === 'ORG_MEMBERS') return from.isMember && to.isMember
  return to.whoMayRequest === 'CARD_ONLY' && isByCode
}

export interface World {
  readonly users: readonly User[]
  readonly requests: Request[]
  readonly conversations: Conversation[]
}

export const directOf = ({ conversations }: World, a: User, b: User): Conversation | undefined =>
  conversations.find(
    (each) =>
      each.type === 'DIRECT' && (each.isNotes === true) === (a === b) && isMemberOf(each, a) && isMemberOf(each, b),
  )

export const isPending = (request: Request, now: number): boolean =>
  request.status === 'PENDING' && request.expiresAt > now

export const statusOf = (request: Request, now: number): string =>
  request.status === 'PENDING' && request.expiresAt <= now ? 'EXPIRED' : request.status

/** Whether `user` may name `other` in requests and messages: undefined where the rules leave it open. */
export function mayName(world: World, user: User, other: User, now: number): boolean | undefined {
  if (user === other || (user.isMember && other.isMember)) return true
  if (hasContact(user, other) || hasContact(other, user)) return true
  if (directOf(world, user, other) !== undefined) return true
  const cards = world.conversations
    .filter((each) => isMemberOf(each, user))
    .flatMap((each) =>
      each.messages
        .filter(
          ({ type, senderId, content, recalledAt, forwarded }) =>
            // The content of a recalled card is gone in the model, too.
            type === 'CARD' &&
            senderId !== user.id &&
            (recalledAt !== null || content['userId'] === other.id) &&
            !forwarded,
        )
        .map((message) => ({
          message,
          isVisible: message.recalledAt === null && visible(each, user).includes(message),
        })),
    )
  if (cards.some(({ isVisible }) => isVisible)) return true
  const age = now - (user.lookups.get(other.id) ?? -Infinity)
  if (age < DAY - 60_000) return true
  const isOpen =
    cards.length > 0 ||
    age < DAY + 60_000 ||
    user.contacts.has(other.id) ||
    other.contacts.has(user.id) ||
    world.conversations.some((each) => isMemberOf(each, user) && isMemberOf(each, other)) ||
    world.requests.some(({ from, to }) => (from === user && to === other) || (from === other && to === user)) ||
    forwardedCards(world, user, other)
  return isOpen ? undefined : false
}

const forwardedCards = ({ conversations }: World, user: User, other: User): boolean =>
  conversations.some(
    (each) =>
      isMemberOf(each, user) &&
      each.messages.some(
        ({ type, content, forwarded }) => type === 'CARD' && forwarded && content['userId'] === other.id,
      ),
  )

/** The result of `sync` for a user after a cursor that is the id of a message. */
export function syncOf({ conversations }: World, user: User, afterId: number) {
  const own = conversations.filter((each) => isMemberOf(each, user))
  const messages = own.flatMap((each) => visible(each, user).filter(({ id }) => id > afterId))
  const recalled = own.flatMap((each) =>
    visible(each, user).filter(({ recalledAfter }) => recalledAfter !== undefined && recalledAfter >= afterId),
  )
  // A message is given once in each list, as it is now: a recall hides the edits before it.
  const updated = own.flatMap((each) =>
    visible(each, user).filter(
      ({ recalledAt, editedAfter = -1, pinnedAfter = -1 }) =>
        recalledAt === null && Math.max(editedAfter, pinnedAfter) >= afterId,
    ),
  )
  const deleted = own.flatMap((each) => each.messages.filter(({ deletedBy }) => (deletedBy.get(user) ?? -1) >= afterId))
  return { messages: messages.toSorted((a, b) => a.id - b.id), recalled, updated, deleted }
}
