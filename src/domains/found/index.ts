/** Lost and found: finder cards on the public pages of things, and the reports of finders. */

import { domain } from '#domains/domain.ts'

import { cardEndpoints } from './cards/cards.endpoints.ts'
import { deleteOfThings, jobs, removeFound, stopCleaningUp } from './clean-up.service.ts'
import { foundAreas } from './own-data.store.ts'
import { reportEndpoints } from './reports/reports.endpoints.ts'
import { eventRows } from './reports/reports.service.ts'
import { threadEndpoints } from './threads/threads.endpoints.ts'

export const found = domain({
  name: 'found',
  endpoints: [...cardEndpoints, ...reportEndpoints, ...threadEndpoints],
  jobs,
  on: { 'qrCodes.purging': (ctx, tx, { ids }) => deleteOfThings(ctx, tx, 'QR_CODE', ids) },
  dataAreas: foundAreas,
  remains: removeFound,
  eventRows,
  stop: stopCleaningUp,
})

export { deleteOfThings, giveFound } from './clean-up.service.ts'
export { FoundForm } from './forms/forms.model.ts'
export { foundCard, foundScript } from './forms/forms.page.ts'
export { findForm } from './forms/forms.service.ts'
