/** Codes and labels as webhooks tell of them. */

import type { EventRows } from '#domains/contributions.ts'

import { BlankView } from './blanks/blanks.model.ts'
import { QrCodeView } from './codes/codes.model.ts'
import type { QrCodeRow } from './codes/codes.store.ts'
import { toView } from './codes/codes.view.ts'
import { anyCodes } from './event-rows.store.ts'

const codes: EventRows = {
  schema: QrCodeView,
  name: 'name',
  rows: async (ctx, tx, _owner, ids) => (await anyCodes(tx, ids)).map((row) => toView(ctx, row)),
  show: (ctx, _tx, _owner, rows) => (rows as readonly QrCodeRow[]).map((row) => toView(ctx, row)),
}

/** The label that was bound; its row comes with the event. */
const blanks: EventRows = { schema: BlankView, name: 'slug', rows: async () => [] }

export const eventRows = { qr_code: codes, blank: blanks }
