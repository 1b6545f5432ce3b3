/** The queries of the map find their rows by an index, range by range. */

import { expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { ReadDb } from '#db/engine/write.ts'
import { assets } from '#db/schema/index.ts'
import { cellsIn, itemsIn, placesAfter, sumsIn } from '#domains/assets/grid.store.ts'

import { onSqlite, withStore } from '../db/fresh.ts'

test.if(onSqlite)('the queries of the map look up each range of cells in an index', async () => {
  await withStore(async (_store, place) => {
    const queries: string[] = []
    const recorder = new ReadDb({ rows: (query) => (queries.push(query), []) })
    const box = { west: 0, south: 0, east: 1, north: 1 }
    const ranges = [
      [4, 9],
      [20, 22],
    ] as const
    await cellsIn(recorder, -1, 5, ranges)
    await sumsIn(recorder, -1, 4, { ranges, box })
    await sumsIn(recorder, -1, 4, { ranges, box, where: eq(assets.status, 'IDLE') })
    await itemsIn(recorder, -1, 500, { ranges, box })
    await placesAfter(recorder, -1, [4, 9], { cell: 5, assetId: 1 }, { where: eq(assets.status, 'IDLE'), limit: 9 })
    expect(queries).toHaveLength(5)
    for (const query of queries) {
      const plan = (await place.raw(`explain query plan ${query}`)).map((row) => String(row[3]))
      const lines = plan.join('\n')
      expect(lines).toMatch(
        /SEARCH asset_\w+ USING .*\(owner=\? AND (level=\? AND )?(cell>\? AND cell<\?|\(cell,asset_id\)>\(\?,\?\))/,
      )
      expect(
        plan.filter((line) => line.startsWith('SCAN asset')),
        lines,
      ).toEqual([])
    }
  })
})
