import { ok, type Person } from '../harness/index.ts'

export const list = async (admin: Person) => ok(await admin.call('backups.list', { query: { size: 100 } })).data

/** Waits until no backup is made or verified, and returns the list. */
export async function idle(admin: Person) {
  for (let i = 0; i < 1200; i++) {
    const found = await list(admin)
    if (!found.isBusy) return found
    await Bun.sleep(50)
  }
  throw new Error('a backup has not ended within a minute')
}

/** Makes a backup and returns its row when it is complete. */
export async function make(admin: Person, format: 'ZST' | 'GZ' = 'ZST') {
  await idle(admin)
  const { name } = ok(await admin.call('backups.create', { body: { format } })).data
  return (await idle(admin)).items.find((one) => one.name === name)!
}

/** Uploads bytes as the backup `name`. `range`: of all bytes, which are `total`. */
export const put = (admin: Person, name: string, bytes: Uint8Array, range?: { start: number; total: number }) =>
  admin.send('PUT', `/api/admin/backups/${name}`, {
    body: Uint8Array.from(bytes),
    headers: {
      'content-type': 'application/octet-stream',
      ...(range && { 'content-range': `bytes ${range.start}-${range.start + bytes.length - 1}/${range.total}` }),
    },
  })
