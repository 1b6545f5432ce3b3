/** Drafts: texts that a user has written in a conversation and not sent yet. They are columns of the user's own member row. */

import { and, eq, isNull, ne, or, sql } from 'drizzle-orm'

import { jsonRows } from '#db/json-rows.ts'
import { prepared } from '#db/prepared.ts'
import { conversationMembers as members } from '#db/schema/chat.ts'
import type { Tx } from '#db/store.ts'
import { topic } from '#platform/bus.ts'

import type { MemberRow } from './members.store.ts'

/** A draft has gone with its message: the conversation looks different to the user. */
export const DRAFT_SENT = topic<{ readonly conversationId: number; readonly userIds: readonly number[] }>(
  'chat.draftSent',
)

/** The columns that the end of a draft sets. */
export const NO_DRAFT = {
  draft: '',
  draftReplyToId: null,
  draftVersion: sql`case when ${members.draft} = '' then ${members.draftVersion} else ${members.draftVersion} + 1 end`,
}

export interface DraftInput {
  readonly draft: string
  /** Undefined: as it is. */
  readonly replyToId: number | null | undefined
  /** Undefined: whatever the present one. */
  readonly baseVersion: number | undefined
}

/**
 * Replaces the draft of a member. Undefined if nothing was changed: it is that draft already, has another version, or the user does not have the
 * conversation on the list, or can no longer write in it.
 */
export async function replaceDraft(
  tx: Tx,
  conversationId: number,
  userId: number,
  { draft, replyToId, baseVersion }: DraftInput,
): Promise<MemberRow | undefined> {
  const isOther =
    replyToId === undefined
      ? ne(members.draft, draft)
      : or(ne(members.draft, draft), sql`${members.draftReplyToId} is distinct from ${replyToId}`)
  const [row] = await tx
    .update(members)
    .set({
      draft,
      ...(replyToId !== undefined && { draftReplyToId: replyToId }),
      draftVersion: sql`${members.draftVersion} + 1`,
      updatedAt: tx.stamp,
    })
    .where(
      and(
        eq(members.conversationId, conversationId),
        eq(members.userId, userId),
        eq(members.hidden, false),
        draft === '' ? undefined : isNull(members.leftAfter),
        baseVersion === undefined ? undefined : eq(members.draftVersion, baseVersion),
        isOther,
      ),
    )
    .returning()
  return row
}

const sent = jsonRows('sent', { conversationId: 'int', userId: 'int', version: 'int' })

const forget = prepared((db) =>
  db
    .update(members)
    .set({ ...NO_DRAFT, updatedAt: sql`${sql.placeholder('stamp')}` })
    .from(sent.rows)
    .where(
      and(
        eq(members.conversationId, sent.conversationId),
        eq(members.userId, sent.userId),
        eq(members.draftVersion, sent.version),
        ne(members.draft, ''),
      ),
    )
    .returning({ conversationId: members.conversationId, userId: members.userId }),
)

export interface SentDraft {
  readonly conversationId: number
  readonly userId: number
  readonly version: number
}

/** Empties those of the drafts that still have these versions: a later one was written elsewhere and stays. */
export async function forgetSent(tx: Tx, drafts: readonly SentDraft[]): Promise<void> {
  for (const { conversationId, userId } of await forget(tx, { ...sent.values(drafts), stamp: tx.stamp }))
    tx.publish(DRAFT_SENT, { conversationId, userIds: [userId] })
}
