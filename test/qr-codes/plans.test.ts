import { expect, test } from 'bun:test'

import { dialect } from '#db/dialect.ts'
import { filteredPage } from '#domains/qr-codes/codes/codes.store.ts'
import { scansOfCodeByHour } from '#domains/qr-codes/scan-counts.store.ts'

import { type Planned, plansOf } from '../db/plans.ts'
import { inProcess, useServer } from '../harness/index.ts'

const { server } = useServer()

test.if(inProcess && dialect === 'sqlite')('the scans of a code are read from an index', async () => {
  const { read } = server.ctx.db
  const part = { from: 1, to: 2, offset: 0 }
  const [{ plan }] = (await plansOf(read, () => scansOfCodeByHour(read, 1, part), 'qr_code_scans')) as [Planned]
  expect(plan[0]).toMatch(
    /^SEARCH qr_code_scans USING INDEX sqlite_autoindex_qr_code_scans_1 \(qr_code_id=\? AND starts_at>\? AND starts_at<\?\)$/,
  )
})

test.if(inProcess && dialect === 'sqlite')('the codes with given ids are read by their primary keys', async () => {
  const { read } = server.ctx.db
  for (const owner of [
    { userId: 1, orgId: 0 },
    { userId: 1, orgId: 2 },
  ])
    for (const ids of [[1], Array.from({ length: 500 }, (_, i) => i + 1)]) {
      const plans = await plansOf(read, () => filteredPage(read, owner, { ids, page: 1, size: 100 }, undefined))
      expect(plans).toHaveLength(2)
      for (const { plan } of plans) expect(plan[0]).toBe('SEARCH qr_codes USING INTEGER PRIMARY KEY (rowid=?)')
    }
})
