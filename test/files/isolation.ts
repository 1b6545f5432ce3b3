import type { IsolationFixture } from '../contract/isolation-fixture.ts'
import { ok } from '../harness/index.ts'
import { text, uploaded } from './helpers.ts'

export const isolation: IsolationFixture = {
  async make({ victim, mark }) {
    const file = await uploaded(victim, text(), { name: `${mark}.txt` })
    const ticket = ok(await victim.call('files.createTicket', { body: { name: mark, size: 10 } })).data
    return { file: file.id, upload: ticket.uploadId }
  },
  paths: [[/^\/api\/files\/:/, 'file']],
  fields: { uploadId: 'upload' },
  reads: ({ file }) => [`/api/files/${file}`, '/api/auth/quotas'],
}
