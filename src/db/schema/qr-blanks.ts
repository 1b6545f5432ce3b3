import { sql } from 'drizzle-orm'

import { col, descending, index, table, uniqueIndex } from '../dialect.ts'

export type BlankStatus = 'FREE' | 'BOUND' | 'VOID'
export type BlankKind = 'QR_CODE' | 'ASSET' | 'LOCATION' | 'ACTIVITY'

/** Labels that are made, and printed, together. Batches stay when their labels are used up, so that no number is given twice. */
export const qrBatches = table(
  'qr_batches',
  {
    id: col.id(),
    owner: col.int('owner').notNull(),
    /** Who made it. */
    userId: col.int('user_id').notNull(),
    name: col.text('name').notNull(),
    prefix: col.text('prefix').notNull(),
    digits: col.int('digits').notNull(),
    /** The numbers of its labels run from `first` to `last`, without gap. */
    first: col.int('first').notNull(),
    last: col.int('last').notNull(),
    /** How many of its labels are bound and void. Every write that changes the status of a label keeps them. */
    bound: col.int('bound').notNull().default(0),
    voided: col.int('voided').notNull().default(0),
    designId: col.int('design_id'),
    /** Chosen by the client, so that a repeated request makes no second batch. */
    requestId: col.text('request_id'),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    // Two batches at the same time get different numbers, and the highest number of a prefix is found.
    uniqueIndex('qr_batches_numbers').on(t.owner, t.prefix, t.last),
    uniqueIndex('qr_batches_request')
      .on(t.owner, t.requestId)
      .where(sql`${t.requestId} is not null`),
    index('qr_batches_list').on(t.owner, descending(t.id)),
  ],
)

/** Labels: short links that are printed first and bound to things later. */
export const qrBlanks = table(
  'qr_blanks',
  {
    slug: col.text('slug').primaryKey(),
    /** Without references to the batch: labels are made by thousands. */
    batchId: col.int('batch_id').notNull(),
    owner: col.int('owner').notNull(),
    nth: col.int('nth').notNull(),
    /** As it is printed: prefix and digits. */
    number: col.text('number').notNull(),
    status: col.text('status').$type<BlankStatus>().notNull().default('FREE'),
    /** The thing that a BOUND label stands for, and since when. */
    kind: col.text('kind').$type<BlankKind>(),
    targetId: col.int('target_id'),
    boundBy: col.int('bound_by'),
    boundAt: col.time('bound_at'),
    scanCount: col.int('scan_count').notNull().default(0),
  },
  (t) => [
    // A10001 can be number 10001 of the prefix A and number 1 of the prefix A1.
    uniqueIndex('qr_blanks_number').on(t.owner, t.number),
    index('qr_blanks_list').on(t.owner, descending(t.batchId), t.nth),
    index('qr_blanks_target')
      .on(t.kind, t.targetId)
      .where(sql`${t.targetId} is not null`),
  ],
)
