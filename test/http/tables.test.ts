/** Tables that operations answer with. */

import { expect, test } from 'bun:test'

import { allEndpoints } from '#app'

const tables = allEndpoints.filter(({ answers }) => /spreadsheetml|text\/csv/.test(answers ?? ''))

test('every operation that answers with a table takes the time zone of its times', () => {
  expect(tables.map(({ id }) => id).toSorted()).toEqual([
    'activities.checkInRecords',
    'assets.export',
    'inventories.export',
    'operationLog.list',
    'passes.list',
    'qrBlanks.export',
    'qrCodes.export',
    'qrCodes.scanStats',
    'registrations.list',
  ])
  // A list of labels has no times.
  for (const { id, query } of tables.filter((one) => one.id !== 'qrBlanks.export'))
    expect(Object.keys(query?.properties ?? {}), id).toContain('tz')
})
