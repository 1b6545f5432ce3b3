import type { IsolationFixture } from '../contract/isolation-fixture.ts'
import { ok } from '../harness/index.ts'
import { png, text, uploaded } from './helpers.ts'

export const isolation: IsolationFixture = {
  async make({ victim, mark }) {
    const file = await uploaded(victim, text(), { name: `${mark}.txt` })
    const ticket = ok(await victim.call('files.createTicket', { body: { name: mark, size: 10 } })).data
    const avatar = await uploaded(victim, png(), { name: `${mark}.png`, type: 'avatar' })
    const unused = await uploaded(victim, text(), { name: `${mark}.txt` })
    return { file: file.id, avatarFile: avatar.id, unusedFile: unused.id, upload: ticket.uploadId }
  },
  paths: [[/^\/api\/files\/:/, 'file']],
  lists: [[/^\/api\/admin\/files\//, 'unusedFile']],
  fields: { uploadId: 'upload', avatarFileId: 'avatarFile' },
  reads: ({ file, avatarFile }) => [`/api/files/${file}`, `/api/files/${avatarFile}`, '/api/auth/quotas'],
}
