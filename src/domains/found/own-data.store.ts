/** The parts of a data export that are about lost things: without the addresses that finders left. */

import { and, eq } from 'drizzle-orm'

import { type DataArea, tableArea } from '#db/data-areas.ts'
import { foundCards, foundMessages, foundReports } from '#db/schema/found.ts'

export const foundAreas: readonly DataArea[] = [
  tableArea({
    name: 'finder-cards',
    title: { en: 'Finder cards', zh: '寻回卡' },
    from: foundCards,
    columns: {
      kind: foundCards.kind,
      targetId: foundCards.targetId,
      when: foundCards.when,
      text: foundCards.text,
      allowMessage: foundCards.allowMessage,
      askPosition: foundCards.askPosition,
    },
    where: (userId) => eq(foundCards.owner, -userId),
    key: [foundCards.kind, foundCards.targetId],
  }),
  tableArea({
    name: 'found-reports',
    title: { en: 'Reports of finders', zh: '拾获报告' },
    from: foundReports,
    columns: {
      id: foundReports.id,
      kind: foundReports.kind,
      targetId: foundReports.targetId,
      title: foundReports.title,
      status: foundReports.status,
      latitude: foundReports.latitude,
      longitude: foundReports.longitude,
      accuracy: foundReports.accuracy,
      createdAt: foundReports.createdAt,
      updatedAt: foundReports.updatedAt,
    },
    where: (userId) => eq(foundReports.owner, -userId),
    key: [foundReports.id],
  }),
  tableArea({
    name: 'found-messages',
    title: { en: 'Messages with finders', zh: '与拾获者的消息' },
    from: foundReports,
    joins: [{ table: foundMessages, on: eq(foundMessages.reportId, foundReports.id) }],
    columns: {
      id: foundMessages.id,
      reportId: foundMessages.reportId,
      fromOwner: foundMessages.fromOwner,
      text: foundMessages.text,
      createdAt: foundMessages.createdAt,
    },
    where: (userId) => and(eq(foundReports.owner, -userId), eq(foundMessages.reportId, foundReports.id)),
    key: [foundMessages.id],
  }),
]
