/** Reads the messages that are to be edited, and stores edits: in one statement each, for any number of edits. */

import { and, eq, not, sql } from 'drizzle-orm'

import { jsonRows, together } from '#db/json-rows.ts'
import { prepared } from '#db/prepared.ts'
import { conversationMembers as members, messages } from '#db/schema/chat.ts'
import type { Builders, Tx } from '#db/store.ts'

import { takeUpTo } from './chat.store.ts'
import { notDeletedBy } from './deleted.store.ts'
import type { MessageRow } from './messages/messages.store.ts'
import { announceNumbers } from './numbers.ts'
import {
  insertTerms,
  lastIndexed,
  removeTerms,
  type TermsOfMessage,
  withoutTerms,
  withTerms,
} from './search/search.store.ts'

const asked = jsonRows('asked', { nth: 'int', messageId: 'int', userId: 'int' })

const askedMessages = prepared((db) =>
  db
    .select({
      nth: asked.nth.mapWith(Number),
      message: messages,
      isDeleted: not(notDeletedBy(messages.id, asked.userId)).mapWith(Boolean),
      indexedUpTo: lastIndexed.mapWith(Number),
    })
    .from(asked.rows)
    .innerJoin(messages, eq(messages.id, asked.messageId)),
)

export interface Found {
  readonly message: MessageRow
  /** By the user for themselves. */
  readonly isDeleted: boolean
  /** All messages up to this number have been indexed for the search. */
  readonly indexedUpTo: number
}

/** The messages in the order of `edits`; undefined for those that do not exist. */
export async function findEdited(
  tx: Tx,
  edits: readonly { readonly messageId: number; readonly userId: number }[],
): Promise<(Found | undefined)[]> {
  const rows = await askedMessages(tx, asked.values(edits.map((edit, nth) => ({ nth, ...edit }))))
  const found: (Found | undefined)[] = edits.map(() => undefined)
  for (const { nth, ...row } of rows) found[nth] = row
  return found
}

const edited = jsonRows('edited', { id: 'int', conversationId: 'int', content: 'text', editedAt: 'int', number: 'int' })

const setContents = (db: Builders) =>
  db
    .update(messages)
    .set({ content: edited.content, editedAt: edited.editedAt, changedNumber: edited.number })
    .from(edited.rows)
    .where(eq(messages.id, edited.id))

/** As `messageChanged`. */
const setLastNumbers = (db: Builders) =>
  db
    .update(members)
    .set({ lastNumber: edited.number })
    .from(edited.rows)
    .where(
      and(
        eq(members.conversationId, edited.conversationId),
        sql`${members.clearedUpTo} < ${edited.id}`,
        sql`(${members.leftAfter} is null or ${members.leftAfter} >= ${edited.id})`,
      ),
    )

const storeAll = together(takeUpTo, setLastNumbers, removeTerms, insertTerms, setContents)

/** Words that the search finds a message by, and no longer does. */
export interface ChangedTerms {
  readonly gone: TermsOfMessage
  readonly added: TermsOfMessage
}

/**
 * Stores edits, whose numbers follow `lastNumber`, in a write that is `IN_ORDER`, and announces them. Each is of another conversation, as a statement changes a
 * row of a member once.
 */
export async function storeEdits(tx: Tx, rows: readonly MessageRow[], changes: readonly ChangedTerms[]): Promise<void> {
  const last = rows.at(-1)!.changedNumber!
  await storeAll(tx, {
    last,
    ...edited.values(rows.map((row) => ({ ...row, content: JSON.stringify(row.content), number: row.changedNumber }))),
    ...withoutTerms.values(changes.map(({ gone }) => gone)),
    ...withTerms.values(changes.map(({ added }) => added)),
  })
  announceNumbers(tx, last)
}
