/** Helpers for the tests of people who register without an account. */

import type { NewGuest } from '#domains/activities/guest-forms/guest-forms.model.ts'
import type { GuestAction, GuestPage } from '#domains/activities/guests/guests.model.ts'
import type { ActivityView } from '#domains/activities/register/register.model.ts'
import { SECOND } from '#platform/clock.ts'

import type { World } from '../accounts/helpers.ts'
import { inProcess, ok, type Person, type Reply, type TestServer, until } from '../harness/index.ts'
import type { SentMail } from '../harness/mail-sink.ts'
import type { ActivityFields } from './helpers.ts'
import { openActivity } from './registering.ts'

export const JSON_ONLY = { accept: 'application/json' }

/** An ACTIVE and PUBLIC activity that starts in a week and lets guests register. */
export const openToGuests = (
  server: TestServer,
  organizer: Person,
  registration: ActivityFields['registration'] = {},
  fields: ActivityFields = {},
): Promise<ActivityView> => openActivity(server, organizer, { guests: true, ...registration }, fields)

type Some = Pick<ActivityView, 'uuid'>
type Headers = Readonly<Record<string, string>>

/** A token that can be used now. */
export async function ripeToken(server: TestServer, { uuid }: Some, headers: Headers = {}): Promise<string> {
  const form = ok(await server.request('GET', `/public/activities/${uuid}/guests/form`, { headers }))
  if (inProcess) server.clock.advance(3 * SECOND)
  else await Bun.sleep(2100)
  return form.data.formToken
}

let count = 0
export const newAddress = (): string => `visitor${++count}.${process.pid}@example.org`

/** Sends the form. */
export const sendForm = (
  server: TestServer,
  { uuid }: Some,
  body: Partial<NewGuest> & { formToken: string },
  headers: Headers = {},
): Promise<Reply> =>
  server.request('POST', `/public/activities/${uuid}/guests`, {
    body: { name: 'Lin', email: newAddress(), ...body },
    headers: { ...JSON_ONLY, ...headers },
  })

export const mailsTo = (world: World, address: string): SentMail[] =>
  world.gateways.mails.filter((mail) => mail.to === address)

export const secretIn = (mail: SentMail): string => /\/s\/registration\/([\w-]{43})/.exec(mail.text)![1]!

/** The secret of the newest link that arrives at the address. */
export async function secretFor(world: World, address: string, nth = 1): Promise<string> {
  const links = () => mailsTo(world, address).filter(({ text }) => text.includes('/s/registration/'))
  await until(() => links().length >= nth, `link ${nth} arrived at ${address}`)
  return secretIn(links().at(-1)!)
}

/** A guest who has sent the form and got the mail. */
export async function pendingGuest(
  world: World,
  activity: Some,
  body: Partial<NewGuest> = {},
): Promise<{ email: string; secret: string }> {
  const email = body.email ?? newAddress()
  const formToken = await ripeToken(world.server, activity)
  ok(await sendForm(world.server, activity, { ...body, email, formToken }))
  return { email, secret: await secretFor(world, email.toLowerCase()) }
}

export const readPage = (server: TestServer, secret: string): Promise<Reply<GuestPage>> =>
  server.request('GET', `/s/registration/${secret}`, { headers: JSON_ONLY })

export const act = (server: TestServer, secret: string, body: GuestAction): Promise<Reply<GuestPage>> =>
  server.request('POST', `/s/registration/${secret}`, { body, headers: JSON_ONLY })

/** A guest with a place, or one on the waiting list. */
export async function confirmedGuest(
  world: World,
  activity: Some,
  body: Partial<NewGuest> = {},
): Promise<{ email: string; secret: string }> {
  const guest = await pendingGuest(world, activity, body)
  ok(await act(world.server, guest.secret, { action: 'confirm' }))
  return guest
}
