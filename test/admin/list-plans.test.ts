/** The indexes that answer pages of the console's lists. */

import { expect, test } from 'bun:test'

import { ReadDb } from '#db/engine/write.ts'
import { allSessions } from '#domains/accounts/devices/devices.admin.store.ts'
import { allRecords } from '#domains/accounts/login-records/login-records.store.ts'
import { filtered as activities } from '#domains/activities/admin/activities.admin.store.ts'
import { filtered as passes } from '#domains/activities/admin/passes.admin.store.ts'
import { filtered as checkIns } from '#domains/activities/check-ins/check-ins.admin.store.ts'
import { type AdminList, plainPage } from '#domains/admin/admin.store.ts'
import { filteredFiles } from '#domains/files/admin/files.admin.store.ts'
import { filteredCodes, filteredScans } from '#domains/qr-codes/admin/qr-codes.admin.store.ts'

import { onSqlite, withStore } from '../db/fresh.ts'

const page = { page: 2, size: 20 }
const period = { from: 1, to: 2 }

const lists: readonly (readonly [name: string, list: AdminList<unknown>, index: string])[] = [
  ['codes in a period', filteredCodes({ ...page, ...period } as never, undefined, false), 'qr_codes_all (created_at'],
  ['codes of an organization', filteredCodes({ ...page, orgId: 1 } as never, undefined, false), 'qr_codes_org_created'],
  ['scans in a period', filteredScans({ ...page, ...period } as never), 'scan_records_created (created_at'],
  ['scans of a user', filteredScans({ ...page, userId: 1 } as never), 'scan_records_user_created (user_id'],
  ['scans of a code', filteredScans({ ...page, qrCodeId: 1 } as never), 'scan_records_code (qr_code_id'],
  ['sessions', allSessions({ ...page, status: 'ACTIVE' }), 'sessions_status (status'],
  ['login records in a period', allRecords({ ...page, ...period }), 'login_records_created (created_at'],
  ['login records of a user', allRecords({ ...page, userId: 1 }), 'login_records_user (user_id'],
  ['check-ins in a period', checkIns({ ...page, ...period }), 'check_ins_time (checked_in_at'],
  ['check-ins of an activity', checkIns({ ...page, activityId: 1 }), 'check_ins_activity (activity_id'],
  ['check-ins of a user', checkIns({ ...page, userId: 1 }), 'check_ins_of_user (user_id'],
  ['passes in a period', passes({ ...page, ...period }, 1), 'passes_created (created_at'],
  ['passes of an activity', passes({ ...page, activityId: 1 }, 1), 'passes_list (activity_id'],
  ['activities in a period', activities({ ...page, ...period }), 'activities_all (created_at'],
  ['activities of a user', activities({ ...page, userId: 1 }), 'activities_user (user_id'],
  ['files in a period', filteredFiles({ ...page, ...period } as never), 'files_created (created_at'],
]

test.if(onSqlite)('pages of the lists of the console are read from indexes in their order', async () => {
  await withStore(async (_store, place) => {
    for (const [name, list, index] of lists) {
      expect(list.where, name).toBeUndefined()
      const queries: string[] = []
      const recorder = new ReadDb({
        rows: (sql) => (queries.push(sql), sql.includes('count(*)') ? [[1000]] : []),
      })
      await plainPage(recorder, list, page)
      expect(queries.length, name).toBe(2)
      const rows = queries.find((text) => !text.includes('count(*)'))!
      const plan = (await place.raw(`explain query plan ${rows}`)).map((row) => String(row[3]))
      expect(plan[0], name).toContain(index)
      expect(plan.join('\n'), name).not.toContain('TEMP B-TREE')
    }
  })
})

test.if(onSqlite)(
  'rows before a deep page of the console are skipped in the index of the order, without joined tables',
  async () => {
    await withStore(async (_store, place) => {
      for (const [name, list, index] of lists) {
        const queries: string[] = []
        const recorder = new ReadDb({
          rows: (sql) => (queries.push(sql), sql.includes(' offset ') ? [] : [[1000]]),
        })
        await plainPage(recorder, list, { page: 500, size: 20 })
        const rows = queries.find((text) => text.includes(' offset '))!
        const skipped = rows.slice(rows.indexOf(' in (select "'), rows.indexOf(' offset '))
        expect(skipped, name).not.toContain(' join ')
        const plan = (await place.raw(`explain query plan ${rows}`)).map((row) => String(row[3]))
        expect(plan.join('\n'), name).toContain(index)
        expect(
          plan.filter((line) => line.startsWith('SCAN')),
          name,
        ).toEqual([])
      }
    })
  },
)
