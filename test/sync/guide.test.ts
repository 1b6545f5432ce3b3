/** Runs the commands of docs/sync.md in their order. */

import { expect, test } from 'bun:test'
import { join } from 'node:path'

import { useServer } from '../harness/index.ts'

const { server, alice } = useServer({ people: ['alice'] })

test('the commands of docs/sync.md give the results that the text names', async () => {
  const guide = await Bun.file(join(import.meta.dir, '../../docs/sync.md')).text()
  const blocks = [...guide.matchAll(/^```sh\n([^]*?)^```/gm)].map(([, commands]) => commands!)
  expect(blocks).toHaveLength(5)
  const script = blocks.join('').replaceAll('http://localhost:8080', server.url)
  const child = Bun.spawn(['bash', '-euo', 'pipefail', '-c', script], {
    env: { PATH: process.env['PATH'], TOKEN: alice.token, DEVICE: alice.deviceId },
    stderr: 'pipe',
  })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  expect({ code: await child.exited, err }).toEqual({ code: 0, err: '' })
  const answers = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const statuses = ({ data }: (typeof answers)[number]) => data.results.map(({ status }: { status: string }) => status)
  const [created, changes, renamed, conflicts, resolved, applied] = answers
  expect(statuses(created)).toEqual(['APPLIED', 'APPLIED'])
  const nothing = { updated: [], deleted: [] }
  expect(changes.data).toMatchObject({ hasMore: false, resync: false, changes: { qrCode: nothing, category: nothing } })
  expect(statuses(renamed)).toEqual(['APPLIED'])
  expect(conflicts.data.items).toMatchObject([
    { winner: 'SERVER', clientData: { name: 'Back door' }, serverData: { name: 'Front door', version: 2 } },
  ])
  expect(resolved.data).toMatchObject({ localId: 'q1', version: 0, acceptServer: false })
  expect(applied.data.results).toMatchObject([{ status: 'APPLIED', version: 3 }])
  const [code] = (await alice.get('/api/qr-codes')).data.items
  expect(code.name).toBe('Back door')
})
