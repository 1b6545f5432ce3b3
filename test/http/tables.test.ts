/** Tables that operations answer with. */

import { expect, test } from 'bun:test'

import { allEndpoints } from '#app'

const tables = allEndpoints.filter(({ answers }) => /spreadsheetml|text\/csv/.test(answers ?? ''))

test('every operation that answers with a table takes the time zone of its times', () => {
  expect(tables.map(({ id }) => id).toSorted()).toEqual([
    'activities.checkInRecords',
    'admin.users.importSheet',
    'assetReports.depreciation',
    'assets.export',
    'inventories.export',
    'operationLog.list',
    'passes.list',
    'qrBlanks.export',
    'qrCodes.export',
    'qrCodes.scanStats',
    'registrations.list',
    'supplies.export',
    'supplies.movements',
  ])
  // A list of labels, one of start codes and a report by days have no times.
  const others = ['admin.users.importSheet', 'assetReports.depreciation', 'qrBlanks.export']
  for (const { id, query } of tables.filter((one) => !others.includes(one.id)))
    expect(Object.keys(query?.properties ?? {}), id).toContain('tz')
})
