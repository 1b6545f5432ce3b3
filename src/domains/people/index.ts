/** Lists of people: imports of users with their start codes. Above accounts and organizations, because a row of a list concerns both. */

import { domain } from '#domains/domain.ts'

import { importAdminEndpoints } from './importing/importing.admin.endpoints.ts'
import { finishAtStart, finishImportsJob } from './importing/parts.service.ts'
import { slipEndpoints } from './slips/slips.admin.endpoints.ts'
import { sheetsJob } from './slips/slips.service.ts'
import { deleteSheetsOf } from './slips/slips.store.ts'
import { composeStartCode } from './slips/start-mails.service.ts'

export const people = domain({
  name: 'people',
  endpoints: [...importAdminEndpoints, ...slipEndpoints],
  jobs: [sheetsJob, finishImportsJob],
  start: finishAtStart,
  on: { 'user.deleting': (_ctx, tx, { userId }) => deleteSheetsOf(tx, userId) },
  composedMails: { START_CODE: composeStartCode },
})
