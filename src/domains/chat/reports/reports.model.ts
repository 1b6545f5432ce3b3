import { MESSAGE_REPORT_STATUSES, MESSAGE_TYPES } from '#db/schema/chat.ts'
import type { Budget } from '#http/budget.ts'
import { Enum, Id, Model, Multiline, Nullable, PageOf, PageQuery, type Static, Text, Time, Type } from '#http/schema.ts'
import { DAY } from '#platform/clock.ts'

import { MessageContent } from '../messages/messages.model.ts'

export const REPORTS: Budget = {
  name: 'message-reports',
  counts: { en: 'reports of messages', zh: '消息举报' },
  per: 'user',
  limit: 20,
  windowMs: DAY,
  durable: true,
}

const Reason = (min: number, description: string) => Multiline(500, min, { description, examples: ['Advertising'] })

export const RemoveMessage = Model('RemoveMessage', {
  reason: Type.Optional(Nullable(Reason(0, 'Shown to the members'))),
})
export type RemoveMessage = Static<typeof RemoveMessage>

export const ReportMessage = Model('ReportMessage', { reason: Reason(1, 'Shown to system administrators only') })
export type ReportMessage = Static<typeof ReportMessage>

const Status = Enum(MESSAGE_REPORT_STATUSES)

/** As the user who has made it sees it. */
export const MessageReport = Model('MessageReport', {
  id: Id,
  messageId: Id,
  reason: Text('Advertising'),
  status: Status,
  createdAt: Time,
})
export type MessageReport = Static<typeof MessageReport>

const Person = Model('ReportedPerson', { userId: Id, nickname: Text('Lin Mei'), username: Nullable(Text('mei')) })

export const AdminReport = Model('AdminMessageReport', {
  id: Id,
  messageId: Id,
  conversationId: Id,
  type: Enum(MESSAGE_TYPES),
  content: {
    ...MessageContent,
    description: 'As it was when it was reported. Files are named only; they open nowhere',
  },
  sentAt: Time,
  sender: { ...Person, description: 'The sender of the message' },
  reporter: { ...Person, description: 'The user who has reported it' },
  reason: Text('Advertising'),
  status: Status,
  createdAt: Time,
  handledAt: Nullable(Time),
})
export type AdminReport = Static<typeof AdminReport>
export const AdminReportPage = PageOf(AdminReport)

export const AdminReportsQuery = PageQuery({ status: Type.Optional(Status) })
export type AdminReportsQuery = Static<typeof AdminReportsQuery>
