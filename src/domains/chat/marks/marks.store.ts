import { and, desc, eq, exists, gt, isNull, lte, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { conversationMembers as members, conversations, messages } from '#db/schema/chat.ts'
import type { Db } from '#db/store.ts'
import { isBlockedSql, sendsReceipts } from '#domains/contacts/index.ts'

import { type Mark, MAX_MARKED } from './marks.rules.ts'

const p = sql.placeholder

const inConversation = prepared((db) =>
  db
    .select({
      userId: members.userId,
      // That of a direct conversation stays while one has blocked the other. In groups both are the same.
      readUpTo: members.shownReadUpTo,
      joinedAfter:
        sql`coalesce(${members.joinedAfter}, case when ${members.role} is null then 0 else ${members.clearedUpTo} end)`.mapWith(
          Number,
        ),
      readAt: members.readAt,
      readBefore: members.readBefore,
      receipts: sql`${sendsReceipts(sql`${members.userId}`)}`.mapWith(Boolean),
      blocked:
        sql`${members.role} is not null and ${isBlockedSql(sql`${members.userId}`, sql`${p('viewerId')}`)}`.mapWith(
          Boolean,
        ),
    })
    .from(members)
    .where(
      and(
        eq(members.conversationId, p('conversationId')),
        isNull(members.leftAfter),
        exists(
          db
            .select({ id: conversations.id })
            .from(conversations)
            .where(
              and(eq(conversations.id, p('conversationId')), lte(conversations.memberCount, MAX_MARKED).inlineParams()),
            ),
        ),
      ),
    ),
)

/** The present members, the viewer included; nobody if the group is too large for read marks. One query, however many messages are asked about. */
export const marksIn = (db: Db, conversationId: number, viewerId: number): Promise<Mark[]> =>
  inConversation(db, { conversationId, viewerId })

const sent = prepared((db) =>
  db
    .select({ id: messages.id, senderId: messages.senderId })
    .from(messages)
    .where(
      and(
        eq(messages.conversationId, p('conversationId')),
        gt(messages.id, p('after')),
        lte(messages.id, p('upTo')),
        isNull(messages.recalledAt),
      ),
    )
    .orderBy(desc(messages.id))
    .limit(p('limit')),
)

/** The newest messages of a range, with their senders. */
export const sendersBetween = (
  db: Db,
  range: { readonly conversationId: number; readonly after: number; readonly upTo: number; readonly limit: number },
): Promise<{ id: number; senderId: number | null }[]> => sent(db, { ...range })
