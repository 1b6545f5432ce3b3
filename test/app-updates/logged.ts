import { ok } from '../harness/index.ts'
import type { LoggedFixture } from '../operation-log/logged-fixture.ts'
import { hashOf, makeKey, publish, upload } from './helpers.ts'

export const logged: LoggedFixture = {
  'appUpdates.putPackage': async ({ server, admin }) => {
    const [fileName, bytes] = ['logged-upload.apk', 'bytes of an upload']
    const { key } = await makeKey(server, 'logged')
    return {
      call: () => upload(server, admin, fileName, bytes),
      row: {
        targetId: null,
        targetName: fileName,
        before: null,
        after: { fileName, size: bytes.length, sha256: hashOf(bytes) },
      },
      refused: [() => upload(server, admin, fileName, 'other'), () => upload(server, admin, 'empty.apk', '')],
      unchanged: async () => {
        ok(await upload(server, key, 'uploaded-by-key.apk', 'the log names users only'))
        return upload(server, admin, fileName, bytes)
      },
    }
  },
  'appUpdates.publish': async ({ server, admin }) => {
    const [fileName, bytes] = ['logged.apk', 'bytes of a logged package']
    await upload(server, admin, fileName, bytes)
    const send = (more: object = {}) => {
      const downloadUrl = `/api/app/download/${fileName}`
      return publish(server, admin, { versionCode: 7, versionName: '0.7', downloadUrl, ...more })
    }
    return {
      call: () => send(),
      row: {
        targetId: (reply) => reply.data.id as number,
        targetName: '0.7',
        before: null,
        after: {
          versionCode: 7,
          versionName: '0.7',
          fileName,
          sha256: hashOf(bytes),
          isMajor: false,
          forceUpdate: false,
        },
      },
      refused: [() => send({ versionName: 'other' }), () => send({ versionCode: 6 })],
      unchanged: () => send(),
    }
  },
}
