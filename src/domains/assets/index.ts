/** Fixed assets: the register, categories, transfers, spreadsheets, inventories and loans. */

import { domain } from '#domains/domain.ts'

export const assets = domain({
  name: 'assets',
  endpoints: [],
})
