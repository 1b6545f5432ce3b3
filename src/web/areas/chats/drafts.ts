/**
 * Texts that the user has not sent, by conversation. Each change is kept in this browser at once, so that neither a reload nor a crash of the
 * tab loses it, and stored on the server after a pause, for the other devices. The server refuses a draft that was written without the knowledge of a
 * newer one of another device: then both texts stay, one below the other.
 */

import { useEffect, useState, useSyncExternalStore } from 'react'

import { callWith } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'
import { onLogin } from '../../api/tokens.ts'
import type { Conversation } from '../../api/types.ts'
import { CHAT_DRAFTS } from '../../browser/database.ts'
import { stored } from '../../browser/stored.ts'
import { currentSession } from '../../session/session.ts'
import { onSent, type Target } from './outbox.ts'

/** Milliseconds without a key until the draft is stored. */
const PAUSE = 1_500
/** Milliseconds. Messages wait for the storing of their draft. */
const PATIENCE = 15_000

/** The draft of the server, as this browser knows it. */
interface Known {
  readonly text: string
  readonly replyToId: number | null
  readonly version: number
}

/** A draft that the server does not have yet. */
interface Kept {
  readonly text: string
  readonly replyToId: number | null
  readonly known: Known
  /** It was sent, and is kept until the message is stored. */
  readonly isSent?: true
}

interface All {
  readonly userId: number
  readonly drafts: Readonly<Record<string, Kept>>
}

const NOTHING: Known = { text: '', replyToId: null, version: -1 }

const all = stored<All>(CHAT_DRAFTS, { userId: 0, drafts: {} })
const keptDrafts = (): All['drafts'] => (all.get().userId === currentSession()?.user.id ? all.get().drafts : {})

function keep(key: string, draft: Kept | undefined): void {
  const userId = currentSession()?.user.id
  const { [key]: before, ...others } = keptDrafts()
  if (userId === undefined || (before === undefined && draft === undefined)) return
  all.set({ userId, drafts: draft === undefined ? others : { ...others, [key]: draft } })
}

const keyOf = (target: Target): string =>
  'conversationId' in target ? `${target.conversationId}` : `with ${target.toUserId}`

const knownOf = ({ draft, draftReplyToId, draftVersion }: Conversation): Known => ({
  text: draft,
  replyToId: draftReplyToId,
  version: draftVersion,
})

/** Both texts, unless one has the other. */
export function merged(theirs: string, ours: string): string {
  if (ours.includes(theirs)) return ours
  return theirs.includes(ours) ? theirs : `${theirs}\n${ours}`
}

export interface DraftState {
  readonly text: string
  readonly replyToId: number | null
  /** The text has a part that another device has written meanwhile. */
  readonly isMerged: boolean
}

export class Draft {
  private state: DraftState
  private known: Known = NOTHING
  /** The text has left with a message, which empties the draft of the server. */
  private hasLeft = false
  /** It had left when the last page ended: the message may have arrived. */
  private wasSent = false
  /** A newer one of the server, which came while this one was on its way. */
  private latest: Known = NOTHING
  private saving: Promise<void> | undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  private readonly key: string
  /** Undefined before the first message to a user: then the draft stays in this browser. */
  private readonly id: number | undefined
  private readonly listeners = new Set<() => void>()

  constructor(target: Target) {
    this.key = keyOf(target)
    this.id = 'conversationId' in target ? target.conversationId : undefined
    const before = keptDrafts()[this.key]
    this.state = { text: before?.text ?? '', replyToId: before?.replyToId ?? null, isMerged: false }
    if (before === undefined) return
    this.known = before.known
    this.wasSent = before.isSent === true
    this.schedule()
  }

  readonly read = (): DraftState => this.state
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  private change(part: Partial<DraftState>): void {
    this.state = { ...this.state, ...part }
    for (const listener of this.listeners) listener()
  }

  /** As it is to be stored: spaces alone are no draft. */
  private get wanted(): { readonly text: string; readonly replyToId: number | null } {
    const { text, replyToId } = this.state
    return text.trim() === '' ? { text: '', replyToId: null } : { text, replyToId }
  }

  private get isUnsaved(): boolean {
    const { text, replyToId } = this.wanted
    const known = this.hasLeft ? NOTHING : this.known
    return text !== known.text || replyToId !== known.replyToId
  }

  private keepIt(): void {
    if (this.isUnsaved) keep(this.key, { ...this.wanted, known: this.known })
    else if (!this.hasLeft || keptDrafts()[this.key]?.isSent !== true) keep(this.key, undefined)
  }

  readonly write = (part: Partial<DraftState>): void => {
    this.wasSent = false
    this.change(part)
    this.keepIt()
    this.schedule()
  }

  private schedule(): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void this.save(), PAUSE)
  }

  /** Takes the draft of an answer of the server, which can be older than the one that this browser knows. */
  readonly receive = (conversation: Conversation): void => {
    const server = knownOf(conversation)
    if (server.version <= this.known.version) return
    if (this.wasSent) {
      this.wasSent = false
      this.hasLeft = true
      this.change({ text: '', replyToId: null })
    }
    if (this.saving === undefined) this.rebase(server)
    else if (server.version > this.latest.version) this.latest = server
  }

  private rebase(server: Known): void {
    const { known, isUnsaved, wanted } = this
    this.known = server
    this.hasLeft = false
    const isNew = server.text !== known.text
    if (!isUnsaved || (wanted.text === '' && isNew)) this.change({ text: server.text, replyToId: server.replyToId })
    else if (server.text !== '' && isNew) {
      const text = merged(server.text, wanted.text)
      const isMerged = text !== server.text && text !== wanted.text
      this.change({ text, replyToId: wanted.replyToId ?? server.replyToId, isMerged: isMerged || this.state.isMerged })
    }
    this.keepIt()
    if (this.isUnsaved) this.schedule()
  }

  /** Stores it on the server, unless it is there. Never rejects: what could not be stored stays in this browser. */
  readonly save = (): Promise<void> => {
    clearTimeout(this.timer)
    this.saving ??= this.saveAll().finally(() => {
      this.saving = undefined
      if (this.latest.version > this.known.version) this.rebase(this.latest)
    })
    return this.saving
  }

  private async saveAll(): Promise<void> {
    while (this.id !== undefined && this.known !== NOTHING && this.isUnsaved && !this.wasSent) {
      const { text, replyToId } = this.wanted
      const baseVersion = this.known.version
      const { hasLeft } = this
      try {
        const conversation = await this.request({ draft: text || null, replyToId, baseVersion })
        // It may leave while it is on its way.
        if (hasLeft) this.hasLeft = false
        this.known = { text, replyToId, version: conversation.draftVersion }
        this.keepIt()
      } catch (error) {
        if (!this.takeRefusal(error)) return
      }
    }
  }

  private async request(body: object): Promise<Conversation> {
    const signal = AbortSignal.timeout(PATIENCE)
    // It goes on after the page was closed.
    const options = { signal, keepalive: true, waitsForSignIn: false }
    return (await callWith('conversations.draft', { params: { id: this.id! }, body }, options)) as Conversation
  }

  /** Whether to try again at once. */
  private takeRefusal(error: unknown): boolean {
    if (!(error instanceof ApiError)) return false
    if (error.status === 409 && error.data != null) {
      this.rebase(knownOf(error.data as Conversation))
      return true
    }
    if (error.problem('replyToId') !== undefined) {
      // The message was deleted meanwhile.
      this.change({ replyToId: null })
      this.keepIt()
      return true
    }
    // The user has left the group, or deleted the conversation on another device.
    if (error.status === 403 || error.status === 404) keep(this.key, undefined)
    return false
  }

  /**
   * The text leaves with a message. Returns the version that the message names, so that the server empties the draft with it; undefined if the server
   * has none. It is known once the draft that is on its way has arrived.
   */
  readonly leave = (): (() => Promise<number | undefined>) => {
    clearTimeout(this.timer)
    const { wanted, known, saving } = this
    keep(this.key, { ...wanted, known, isSent: true })
    this.hasLeft = true
    this.change({ text: '', replyToId: null, isMerged: false })
    const version = (saving ?? Promise.resolve()).then(() => (this.known.text === '' ? undefined : this.known.version))
    return () => version
  }

  /** The message is stored. */
  arrived(): void {
    if (keptDrafts()[this.key]?.isSent === true) keep(this.key, undefined)
  }
}

/** They live as long as the page, so that a conversation that is opened again knows which request is on its way. */
const drafts = new Map<string, Draft>()

function draftOf(target: Target): Draft {
  const key = keyOf(target)
  const draft = drafts.get(key) ?? new Draft(target)
  drafts.set(key, draft)
  return draft
}

/** Stores all drafts that this browser alone has. */
export async function saveDrafts(): Promise<void> {
  const ids = Object.keys(keptDrafts()).map(Number)
  await Promise.all(ids.filter((id) => id > 0).map((conversationId) => draftOf({ conversationId }).save()))
}

onSent(([message], target) => {
  const draft = drafts.get(keyOf(target))
  if (draft === undefined || message === undefined) return
  draft.arrived()
  const { text } = draft.read()
  // The first message to a user has made the conversation, in which the next one is written.
  if ('conversationId' in target || text === '') return
  draftOf({ conversationId: message.conversationId }).write({ text })
  draft.write({ text: '' })
})
addEventListener('pagehide', () => void saveDrafts())
onLogin((login) => {
  if (login !== undefined) return
  drafts.clear()
  all.set({ userId: 0, drafts: {} })
})

export type OpenDraft = DraftState & Pick<Draft, 'write' | 'leave'>

export function useDraft(target: Target, conversation: Conversation | undefined): OpenDraft {
  // The component has the target as its key.
  const [draft] = useState(() => {
    const opened = draftOf(target)
    if (conversation !== undefined) opened.receive(conversation)
    return opened
  })
  const state = useSyncExternalStore(draft.subscribe, draft.read)
  useEffect(() => {
    if (conversation !== undefined) draft.receive(conversation)
  }, [draft, conversation])
  useEffect(() => () => void draft.save(), [draft])
  return { ...state, write: draft.write, leave: draft.leave }
}

/** The text of a conversation that only this browser has. */
export const useKeptText = (id: number): string | undefined =>
  useSyncExternalStore(all.subscribe, () => {
    const draft = keptDrafts()[`${id}`]
    return draft?.isSent === true ? undefined : draft?.text
  })
