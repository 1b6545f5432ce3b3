/** The parts of a data export that are about contacts. Of other people they have the nickname only. */

import { and, eq } from 'drizzle-orm'

import { type DataArea, tableArea } from '#db/data-areas.ts'
import { users } from '#db/schema/accounts.ts'
import { contactProfiles, contactRequests, contacts } from '#db/schema/contacts.ts'

const requestColumns = {
  id: contactRequests.id,
  nickname: users.nickname,
  message: contactRequests.message,
  source: contactRequests.source,
  status: contactRequests.status,
  createdAt: contactRequests.createdAt,
  expiresAt: contactRequests.expiresAt,
  handledAt: contactRequests.handledAt,
}

export const contactAreas: readonly DataArea[] = [
  tableArea({
    name: 'contact-settings',
    title: { en: 'Settings of contacts', zh: '联系人设置' },
    from: contactProfiles,
    // The code of the card is a way to the user.
    columns: {
      findableByEmail: contactProfiles.findableByEmail,
      findableByPhone: contactProfiles.findableByPhone,
      whoMayRequest: contactProfiles.whoMayRequest,
      whoMayMessage: contactProfiles.whoMayMessage,
      readReceipts: contactProfiles.readReceipts,
      presence: contactProfiles.presence,
      seenAt: contactProfiles.seenAt,
    },
    where: (userId) => eq(contactProfiles.userId, userId),
    key: [contactProfiles.userId],
  }),
  tableArea({
    name: 'contacts',
    title: { en: 'Contacts', zh: '联系人' },
    from: contacts,
    joins: [{ table: users, on: eq(users.id, contacts.otherId) }],
    columns: {
      id: contacts.id,
      userId: contacts.otherId,
      nickname: users.nickname,
      remark: contacts.remark,
      tags: contacts.tags,
      isContact: contacts.isContact,
      blocked: contacts.blocked,
      createdAt: contacts.createdAt,
      updatedAt: contacts.updatedAt,
    },
    where: (userId) => eq(contacts.userId, userId),
    key: [contacts.id],
  }),
  tableArea({
    name: 'contact-requests-sent',
    title: { en: 'Contact requests that you sent', zh: '发出的好友申请' },
    from: contactRequests,
    joins: [{ table: users, on: eq(users.id, contactRequests.toId) }],
    columns: { ...requestColumns, userId: contactRequests.toId, remark: contactRequests.remark },
    where: (userId) => eq(contactRequests.fromId, userId),
    key: [contactRequests.id],
  }),
  tableArea({
    name: 'contact-requests-received',
    title: { en: 'Contact requests that you received', zh: '收到的好友申请' },
    from: contactRequests,
    joins: [{ table: users, on: eq(users.id, contactRequests.fromId) }],
    columns: { ...requestColumns, userId: contactRequests.fromId },
    // Those of users whom the recipient had blocked are for the senders only.
    where: (userId) => and(eq(contactRequests.toId, userId), eq(contactRequests.hidden, false)),
    key: [contactRequests.id],
  }),
]
