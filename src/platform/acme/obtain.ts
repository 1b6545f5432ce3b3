/** The way from an order to a chain. It can be interrupted at any point and continued with the address of the order and its key. */

import { setTimeout } from 'node:timers/promises'

import { SECOND } from '../clock.ts'
import { sha256 } from '../ids.ts'
import type { AcmeClient, Authorization, Challenge, Order } from './client.ts'
import { certificateRequest } from './keys.ts'
import { AcmeError, OrderGone, problemOf, TOKEN } from './request.ts'

/** Milliseconds between two looks, unless the authority asks for another pause; at first less. */
const LOOK_EVERY = { first: 250, least: 100, most: 30 * SECOND } as const

export interface HttpProof {
  readonly kind: 'HTTP_01'
  /** From now on the address of the token has to answer with this text. */
  present(token: string, keyAuthorization: string): Promise<void>
}

export interface DnsProof {
  readonly kind: 'DNS_01'
  /** `name`: `_acme-challenge.` and the name of the server. Resolves when the record can be read, or is gone. */
  change(action: 'present' | 'cleanup', name: string, value: string): Promise<void>
}

export interface Obtaining {
  readonly names: readonly string[]
  /** The key of the certificate (PKCS #8, PEM). */
  readonly key: string
  /** The order that was begun with this key; undefined for a new one. */
  readonly order: string | undefined
  /** The renewal id of the certificate that the new one is to replace. */
  readonly replaces: string | undefined
  readonly proof: HttpProof | DnsProof
  readonly signal: AbortSignal
  /** Called with the address of a new order, before anything is done with it. */
  ordered(url: string): Promise<void>
  /** Called before each step. An error ends the work. */
  keep(): Promise<void>
}

/** The chain (PEM), unchecked. @throws AcmeError, OrderGone */
export async function obtain(client: AcmeClient, work: Obtaining): Promise<string> {
  let order =
    work.order === undefined ? await client.newOrder(work.names, work.replaces) : await resumed(client, work.order)
  if (work.order === undefined) await work.ordered(order.url)
  if (order.status === 'pending') for (const url of order.authorizations) await authorize(client, work, url)
  order = await settled(client, work, order, (status) => status !== 'pending')
  if (order.status === 'ready') {
    if (order.finalize === undefined) throw new AcmeError('badAnswer', 'the order cannot be completed')
    await work.keep()
    await client.finalize(order.finalize, await certificateRequest(work.key, work.names))
    order = await settled(client, work, await client.order(order.url), (status) => status === 'valid')
  }
  order = await settled(client, work, order, (status) => status === 'valid')
  if (order.certificate === undefined) throw new AcmeError('badAnswer', 'the order has no certificate')
  return client.download(order.certificate)
}

async function resumed(client: AcmeClient, url: string): Promise<Order> {
  try {
    const order = await client.order(url)
    if (order.status !== 'invalid') return order
  } catch (error) {
    // The authority has forgotten it, or its server moved.
    const { status = 0 } = error instanceof AcmeError ? error.more : {}
    if (status < 400 || status >= 500 || status === 429) throw error
  }
  throw new OrderGone('the order is no longer valid')
}

/** Reads the order until it has one of the wanted statuses. */
async function settled(
  client: AcmeClient,
  work: Obtaining,
  first: Order,
  isWanted: (status: string) => boolean,
): Promise<Order> {
  let order = first
  for (let looks = 0; !isWanted(order.status); looks++) {
    if (order.status === 'invalid') throw problemOf(order.error)
    await pause(work, looks, order.retryAfterMs)
    order = await client.order(order.url)
  }
  if (order.status === 'invalid') throw problemOf(order.error)
  return order
}

async function pause({ keep, signal }: Obtaining, looks: number, asked: number | undefined): Promise<void> {
  const ms = asked ?? LOOK_EVERY.first * 2 ** looks
  await setTimeout(Math.min(LOOK_EVERY.most, Math.max(LOOK_EVERY.least, ms)), undefined, { signal })
  await keep()
}

async function authorize(client: AcmeClient, work: Obtaining, url: string): Promise<void> {
  await work.keep()
  const authorization = await client.authorization(url)
  if (authorization.status !== 'pending') return refuseInvalid(authorization)
  const challenge = challengeFor(authorization, work.proof.kind)
  const keyAuthorization = await client.keyAuthorization(challenge.token)
  if (work.proof.kind === 'HTTP_01') {
    await work.proof.present(challenge.token, keyAuthorization)
    return validate(client, work, url, challenge)
  }
  const record = [`_acme-challenge.${authorization.name}`, sha256(keyAuthorization)] as const
  await work.proof.change('present', ...record)
  try {
    await work.keep()
    await validate(client, work, url, challenge)
  } finally {
    await work.proof.change('cleanup', ...record)
  }
}

function challengeFor(authorization: Authorization, kind: 'HTTP_01' | 'DNS_01'): Challenge {
  const type = kind === 'HTTP_01' ? 'http-01' : 'dns-01'
  const challenge = authorization.challenges.find((one) => one.type === type)
  if (challenge === undefined)
    throw new AcmeError('badAnswer', `the authority does not offer ${type} for ${authorization.name}`)
  if (!TOKEN.test(challenge.token)) throw new AcmeError('badAnswer', 'the authority sent a token that is not one')
  return challenge
}

async function validate(client: AcmeClient, work: Obtaining, url: string, challenge: Challenge): Promise<void> {
  // A challenge that was accepted before an interruption is being validated already.
  if (challenge.status === 'pending') await client.accept(challenge)
  for (let looks = 0; ; looks++) {
    const authorization = await client.authorization(url)
    if (authorization.status !== 'pending') return refuseInvalid(authorization)
    await pause(work, looks, authorization.retryAfterMs)
  }
}

function refuseInvalid({ name, status, challenges }: Authorization): void {
  if (status === 'valid') return
  const failed = challenges.find(({ error }) => error !== undefined)
  throw problemOf(failed?.error, { identifier: name }, `the authority does not accept ${name} (${status})`)
}
