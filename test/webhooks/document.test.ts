import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { ok, startServer } from '../harness/index.ts'
import { hook } from './helpers.ts'
import { startReceiver } from './receiver.ts'

test('The receiver in docs/webhooks.md accepts what the server sends, and nothing else', async () => {
  const document = await Bun.file(join(import.meta.dir, '../../docs/webhooks.md')).text()
  const [, code] = /```ts\n([^`]*(?:`[^`]+`[^`]*)*)```/.exec(document)!
  const directory = mkdtempSync(join(tmpdir(), 'webhooks-'))
  const receiver = startReceiver()
  const server = await startServer({ config: { privateTargets: [receiver.origin] } })
  try {
    writeFileSync(join(directory, 'receiver.ts'), code!)
    const { verified } = (await import(join(directory, 'receiver.ts'))) as {
      verified(secret: string, headers: Headers, body: string): { type: string } | undefined
    }
    const admin = await server.admin()
    const { id, secret, url } = await hook(admin, receiver)
    ok(await admin.call('webhooks.test', { params: { id } }))
    const [one] = await receiver.next(url)
    const headers = new Headers(one!.headers)
    expect(verified(secret, headers, one!.text)).toMatchObject({ type: 'webhook.test', sequence: 1 })
    expect(verified(secret, headers, one!.text.replace('test', 'best'))).toBeUndefined()
    expect(verified(`whsec_${Buffer.alloc(32).toString('base64')}`, headers, one!.text)).toBeUndefined()
    headers.set('webhook-timestamp', '1767225600')
    expect(verified(secret, headers, one!.text)).toBeUndefined()
  } finally {
    await server.stop()
    await receiver.stop()
    rmSync(directory, { recursive: true })
  }
})
