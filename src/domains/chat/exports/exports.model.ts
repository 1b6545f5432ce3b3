/** The export of a conversation by one of its members, and its limits. */

import type { Budget } from '#http/budget.ts'
import { Enum, ExportZone, type Static, Type } from '#http/schema.ts'
import { DAY } from '#platform/clock.ts'

export const EXPORT_FORMATS = ['json', 'html'] as const

export const ExportQuery = Type.Object({
  format: Enum(EXPORT_FORMATS, {
    default: 'json',
    description:
      '`json`: one file with all messages; files are named only. `html`: a ZIP archive with pages to read and the files, which opens without a network',
    examples: ['html'],
  }),
  lang: Type.Optional(
    Enum(['en', 'zh'], { description: 'Of the pages. Default: by `Accept-Language`', examples: ['en'] }),
  ),
  tz: ExportZone,
})
export type ExportQuery = Static<typeof ExportQuery>

/** Counted when an export begins, in all conversations of the user together. */
export const CHAT_EXPORTS: Budget = {
  name: 'chat-exports',
  counts: { en: 'exports of conversations', zh: '会话导出' },
  per: 'user',
  limit: 5,
  windowMs: DAY,
  durable: true,
  countedByRun: true,
}

/** Messages that are read at once. */
export const MESSAGES_AT_ONCE = 250
/** Messages of a page in the archive. Browsers open it at once. */
export const MESSAGES_OF_PAGE = 1000
/** Characters of a page. Texts can have 20,000 characters each, and pages are made in memory. */
export const PAGE_CHARACTERS = 1024 * 1024
/** Bytes of files in an archive. Further files are named only. */
export const MAX_FILE_BYTES = 1024 ** 3
