/** Imports of several users at once. */

import { expect, test } from 'bun:test'

import { ok, useServer } from '../harness/index.ts'
import { csv, finished, imported, sendImport } from './sheets.ts'

const { server, repeating, busy, large, other } = useServer({
  people: ['repeating', 'busy', 'large', 'other'],
  noAdmin: true,
})

/** Enough for a dry run that is not over before the next requests arrive. */
const LARGE = csv([['Name', 'Remark'], ...Array.from({ length: 20_000 }, (_, i) => [`asset ${i}`, 'remark'])])

/** Sends the import again when it was refused after 15 seconds, which a busy machine can need for two others. */
async function patiently(...input: Parameters<typeof sendImport>) {
  for (;;) {
    const reply = await sendImport(...input)
    if (reply.status !== 429) return ok(reply).data
  }
}

test('two users who repeat large dry runs keep no small import of others waiting, and a large one gets its turn', async () => {
  let isOver = false
  const statuses: number[] = []
  const attacks = [repeating, busy].map(async (user) => {
    while (!isOver) statuses.push((await sendImport(user, LARGE, { dryRun: true })).status)
  })
  try {
    for (let i = 0; i < 10; i++)
      expect(await imported(other, [['Name'], [`one ${i}`]])).toMatchObject({ created: 1, errorCount: 0 })
    expect(await imported(other, [['Name'], ['checked']], { dryRun: true })).toMatchObject({ valid: 1, created: 1 })
    const { jobId } = (await sendImport(other, [['Name'], ['job']], { async: true })).data as { jobId: string }
    expect((await finished(other, jobId)).state).toBe('DONE')
    expect(await patiently(large, LARGE, { dryRun: true })).toMatchObject({ valid: 20_000 })
  } finally {
    isOver = true
    await Promise.all(attacks)
  }
  // The users who repeat theirs are served too.
  expect(statuses).toContain(200)
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([])
})

test('ten imports of different users at once are all done, each once', async () => {
  const people = await Promise.all(Array.from({ length: 10 }, () => server.person()))
  const rows = [['Name'], ...Array.from({ length: 1500 }, (_, i) => [`asset ${i}`])]
  const jobs = await Promise.all(
    people.map(async (person, i) => {
      if (i % 2 === 0) return patiently(person, rows)
      const { jobId } = (await patiently(person, rows, { async: true })) as { jobId: string }
      return (await finished(person, jobId)).result!
    }),
  )
  for (const result of jobs) expect(result).toMatchObject({ created: 1500, errorCount: 0 })
  for (const person of people)
    expect((await person.call('assets.list', { query: { size: 1 } as never })).data.total).toBe(1500)
})
