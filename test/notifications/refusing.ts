/** A server whose mail server refuses mails to some addresses. */

import { afterAll, beforeAll } from 'bun:test'

import { outbox } from '#db/schema/delivery.ts'

import { newEmail } from '../accounts/helpers.ts'
import { type Gateways, ok, type Person, startGateways, startServer, type TestServer, until } from '../harness/index.ts'

interface Refusing {
  readonly server: TestServer
  readonly mails: Gateways['mails']
  withEmail(): Promise<Person & { email: string }>
  /** Signs in with a code that is mailed to the address. */
  prove(person: { readonly email: string }): Promise<void>
  /** Answers of the mail server to mails to this address from now on; undefined accepts them. */
  refuse(address: string, code: number | undefined): void
  /** How often a mail to this address was tried. */
  asked(address: string): number
  /** Waits until the outbox is empty. */
  settled(): Promise<void>
}

export function useRefusals(): Refusing {
  const refusing = {} as Refusing
  let gateways: Gateways
  beforeAll(async () => {
    const codes = new Map<string, number>()
    const tried: string[] = []
    gateways = await startGateways({
      onRecipient(to) {
        tried.push(to)
        const code = codes.get(to)
        return code === undefined ? undefined : { code, message: 'refused' }
      },
    })
    const server = await startServer({ config: gateways.config })
    Object.assign(refusing, {
      server,
      mails: gateways.mails,
      async withEmail() {
        const user = await server.person()
        const email = newEmail()
        ok(await user.post('/api/auth/email/bind-code', { email }))
        ok(await user.post('/api/auth/email-bind', { email, code: await gateways.codeFor(email) }))
        await refusing.settled()
        return Object.assign(user, { email })
      },
      async prove({ email }: { email: string }) {
        const read = gateways.mails.length
        ok(await server.request('POST', '/api/auth/email/send-code', { body: { email } }))
        await refusing.settled()
        const code = /\d{6}/.exec(gateways.mails.slice(read).find((mail) => mail.to === email)!.subject)![0]
        const deviceId = `device-${crypto.randomUUID()}`
        ok(await server.request('POST', '/api/auth/email-login', { body: { email, code }, deviceId }))
        await refusing.settled()
      },
      refuse: (address: string, code: number | undefined) =>
        code === undefined ? codes.delete(address) : codes.set(address, code),
      asked: (address: string) => tried.filter((to) => to === address).length,
      settled: () =>
        until(async () => (await server.ctx.db.read.select().from(outbox)).length === 0, 'the outbox is empty'),
    } satisfies Refusing as Refusing)
  })
  afterAll(async () => {
    await refusing.server.stop()
    await gateways.stop()
  })
  return refusing
}
