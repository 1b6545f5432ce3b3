/**
 * Orders and renews the certificate. One process at a time works on the order, by a lease in the database, and stores each step, so that another
 * one, or this one after a kill, continues it.
 */

import { readFile } from 'node:fs/promises'

import { type Config, isShared } from '#config/config.ts'
import { type AppContext, perContext } from '#context'
import type { OrderFault } from '#db/schema/certificates.ts'
import type { Tx } from '#db/store.ts'
import { platformBindings, SYSTEM_ADMIN } from '#domains/access/index.ts'
import { notify } from '#domains/notifications/index.ts'
import { readServerValues, serverValues, setServerValue } from '#domains/settings/index.ts'
import type { Localized } from '#lib/localized.ts'
import { AcmeClient } from '#platform/acme/client.ts'
import { runDnsCommand } from '#platform/acme/dns-command.ts'
import type { Obtaining } from '#platform/acme/obtain.ts'
import { AcmeError, OrderGone } from '#platform/acme/request.ts'
import { certificateState } from '#platform/certificate.ts'
import { HOUR, MINUTE, SECOND } from '#platform/clock.ts'
import { fraction } from '#platform/ids.ts'

import * as rules from './certificates.rules.ts'
import { certificatesChanged, choose, getsCertificate, look, present } from './certificates.service.ts'
import * as store from './certificates.store.ts'
import { challengeOf, dnsChanges } from './proofs.service.ts'

/** Also the time in which the other processes use a certificate, should they miss the event. */
const LOOK_EVERY_MS = 10 * SECOND
/** Authorities complete an order within a minute. A program for DNS may wait for each name until all name servers have its record. */
const ORDER_MS = { HTTP_01: 10 * MINUTE, DNS_01: HOUR } as const
/** Authorities give up earlier. */
const CHALLENGE_MS = HOUR

const ORDERS = { name: 'tessera_certificate_orders_total', help: 'Orders of certificates by their result.' }

/** Another process works on the order now. */
class LeaseLost extends Error {}

const worker = perContext(() => ({
  timer: undefined as ReturnType<typeof setInterval> | undefined,
  /** Ends the attempt under way. Another one follows when the settings change. */
  stop: new AbortController(),
  running: undefined as Promise<void> | undefined,
  isAsked: false,
  isFollowing: false,
  isStopped: false,
  settings: '',
}))

/** Reads the rows, so that a server with a certificate opens its port at once. */
export async function findCertificate(ctx: AppContext): Promise<void> {
  if (getsCertificate(ctx)) await follow(ctx)
  worker(ctx).settings = settingsOf(ctx)
  await look(ctx)
}

/** Listens for changes by other processes. Later calls do nothing. */
async function follow(ctx: AppContext): Promise<void> {
  const state = worker(ctx)
  if (state.isFollowing) return
  state.isFollowing = true
  for (const result of ['issued', 'failed']) ctx.metrics.counter(ORDERS, { result })
  if (!isShared(ctx.config)) await ctx.db.write('certificates.start', store.endLeases)
  ctx.bus.on(certificatesChanged, () => work(ctx))
  ctx.bus.onGap(() => work(ctx))
}

/** Once the server is about to listen, since the authority asks for answers to its challenges. Later calls only look again. */
export function startOrders(ctx: AppContext): void {
  const state = worker(ctx)
  if (state.isStopped) return
  state.timer ??= setInterval(() => work(ctx), LOOK_EVERY_MS)
  work(ctx)
}

/** Everything that an attempt depends on. */
const settingsOf = (ctx: AppContext): string => {
  const { domain, publicUrl, acmeDirectory, acmeEmail, acmeCa, acmeDnsCommand } = ctx.config
  const { challenge, dns } = serverValues(ctx).certificate ?? {}
  return JSON.stringify([domain, publicUrl, acmeDirectory, acmeEmail, acmeCa, acmeDnsCommand, challenge, dns])
}

/**
 * For each process, when `ctx.config` or the server values may have changed: ends an attempt with the former ones, looks for a certificate for the
 * present names, and orders it if there is none. Where the server no longer gets its certificate by itself, all of that ends. Calls without a
 * change only look again.
 */
export async function applySettings(ctx: AppContext): Promise<void> {
  const state = worker(ctx)
  if (state.isStopped) return
  if (state.settings !== settingsOf(ctx)) {
    state.stop.abort(new Error('the settings have changed'))
    state.stop = new AbortController()
  }
  await findCertificate(ctx)
  if (getsCertificate(ctx)) return startOrders(ctx)
  clearInterval(state.timer)
  state.timer = undefined
}

/**
 * In the write of an administrator: the next attempt waits for no pause, in whichever process. `target`: that of the new configuration.
 * `id`: of a certificate that is to be replaced although it is good.
 */
export async function orderSoon(ctx: AppContext, tx: Tx, target: string, id?: number): Promise<void> {
  await store.endPause(tx, target)
  const now = ctx.clock.now()
  if (id !== undefined) await store.saveRenewal(tx, id, { renewAt: now })
  tx.publish(certificatesChanged, {})
}

export async function stopOrders(ctx: AppContext): Promise<void> {
  const state = worker(ctx)
  state.isStopped = true
  clearInterval(state.timer)
  state.stop.abort(new Error('the server stops'))
  await state.running
}

/** Reads the rows and does the work that is due. Calls during a run cause one more run after it. */
function work(ctx: AppContext): void {
  const state = worker(ctx)
  if (!getsCertificate(ctx)) return
  state.isAsked = true
  state.running ??= keepWorking().finally(() => (state.running = undefined))

  async function keepWorking(): Promise<void> {
    while (state.isAsked && !state.isStopped && getsCertificate(ctx)) {
      state.isAsked = false
      try {
        await look(ctx)
        await (isDue(ctx) ? orderCertificate(ctx) : askAuthority(ctx))
      } catch (error) {
        ctx.log.error('the work on certificates failed', { error })
      }
    }
  }
}

const isFresh = (ctx: AppContext, found = present(ctx).found): boolean =>
  found !== undefined &&
  rules.covers(found.row.names, ctx.config.domain) &&
  found.row.directory === ctx.config.acmeDirectory &&
  found.row.renewAt > ctx.clock.now()

function isDue(ctx: AppContext): boolean {
  const { order } = present(ctx)
  return !isFresh(ctx) && (order?.nextAt ?? 0) <= ctx.clock.now()
}

async function orderCertificate(ctx: AppContext): Promise<void> {
  const target = rules.targetOf(ctx.config)
  const holder = ctx.processes.id
  const { domain } = ctx.config
  const order = await ctx.db.write('certificates.claim', async (tx) => {
    // Another process may have stored one since the last look.
    if (isFresh(ctx, choose(ctx, await store.findCertificates(tx)))) return undefined
    const now = ctx.clock.now()
    const blocked = await store.findBlocked(tx, domain, now)
    if (blocked === undefined) return store.claimOrder(tx, target, holder, now)
    await store.postpone(tx, target, blocked.until)
    return undefined
  })
  if (order === undefined) return look(ctx)
  const attempt = new Attempt(ctx, target, holder)
  try {
    await attempt.run(order)
    ctx.metrics.count(ORDERS, { result: 'issued' })
    ctx.log.info('a certificate was issued', { names: ctx.config.domain })
  } catch (error) {
    if (error instanceof LeaseLost) return
    await attempt.fail(order, error)
  }
  await look(ctx)
}

/** One attempt of one process. */
class Attempt {
  readonly #stop: AbortSignal
  readonly #signal: AbortSignal
  readonly #kind: 'HTTP_01' | 'DNS_01'
  /** As of its start: others end it. */
  readonly #config: Config

  constructor(
    readonly ctx: AppContext,
    readonly target: string,
    readonly holder: string,
  ) {
    this.#config = ctx.config
    this.#kind = challengeOf(ctx)
    this.#stop = worker(ctx).stop.signal
    this.#signal = AbortSignal.any([this.#stop, AbortSignal.timeout(ORDER_MS[this.#kind])])
  }

  /** @throws AcmeError, LeaseLost */
  async run(order: store.OrderRow): Promise<void> {
    try {
      await this.#obtain(await this.#client(), order)
    } catch (error) {
      if (error instanceof OrderGone) return this.#obtain(await this.#client(), { ...order, key: null, url: null })
      if (!(error instanceof AcmeError && error.type === 'accountDoesNotExist')) throw error
      await this.#forgetAccount()
      await this.#obtain(await this.#client(), { ...order, key: null, url: null })
    }
  }

  async #obtain(client: AcmeClient, { key: sealed, url }: store.OrderRow): Promise<void> {
    const { ctx, target, holder } = this
    const { clock } = ctx
    const config = this.#config
    // Loaded with the first order: it takes 20 ms.
    const [{ obtain }, { checkIssued, newKey, renewalIdOf }] = await Promise.all([
      import('#platform/acme/obtain.ts'),
      import('#platform/acme/keys.ts'),
    ])
    const begun = sealed === null ? undefined : ctx.seal.open(sealed)
    const key = begun ?? newKey()
    if (begun === undefined) await this.#update({ key: ctx.seal.seal(key), url: null })
    const { found } = present(ctx)
    const replaced = found?.row.directory === config.acmeDirectory ? found : undefined
    const chain = await obtain(client, {
      names: config.domain,
      key,
      order: (begun && url) ?? undefined,
      replaces: replaced && (await renewalIdOf(replaced.row.chain)),
      proof: this.#proof(),
      signal: this.#signal,
      ordered: (url) => this.#update({ url }),
      keep: () => this.#update({}),
    })
    const issued = checkIssued(chain, key, config.domain, clock.now())
    const { acmeDirectory: directory, domain: names } = config
    const now = clock.now()
    const times = { renewAt: rules.renewalTime(issued, fraction()), askAt: now + rules.askAfter(undefined, fraction()) }
    await ctx.db.write('certificates.store', async (tx) => {
      const { chain, ...rest } = issued
      await store.insertCertificate(tx, { directory, names, chain, key: ctx.seal.seal(key), ...rest, ...times })
      const done = { holder: null, key: null, url: null, failures: 0, fault: null }
      const nextAt = now + rules.pauseAfterSuccess(issued)
      if (!(await store.updateOrder(tx, target, holder, { ...done, nextAt }))) throw new LeaseLost()
      tx.publish(certificatesChanged, {})
    })
  }

  #proof(): Obtaining['proof'] {
    const { ctx } = this
    const { acmeDnsCommand } = this.#config
    if (acmeDnsCommand !== '')
      return { kind: 'DNS_01', change: (...args) => runDnsCommand(acmeDnsCommand, args, this.#stop) }
    if (this.#kind === 'DNS_01') return { kind: 'DNS_01', change: dnsChanges(ctx, this.#signal) }
    return {
      kind: 'HTTP_01',
      present: (token, answer) =>
        ctx.db.write('certificates.challenge', (tx) => {
          const now = ctx.clock.now()
          return store.saveAnswer(tx, { token, answer, expiresAt: now + CHALLENGE_MS }, now)
        }),
    }
  }

  /** Stores a step, and extends the lease. @throws LeaseLost */
  async #update(change: { key?: string; url?: string | null }): Promise<void> {
    const { ctx, target, holder } = this
    const isOwn = await ctx.db.write('certificates.step', (tx) =>
      store.updateOrder(tx, target, holder, { ...change, leaseUntil: store.leaseFrom(ctx.clock.now()) }),
    )
    if (!isOwn) throw new LeaseLost()
  }

  /** A client with an account. */
  async #client(): Promise<AcmeClient> {
    const { ctx } = this
    const { acmeDirectory: directory, acmeEmail: email } = this.#config
    const { newKey } = await import('#platform/acme/keys.ts')
    const row = await store.findAccount(ctx.db.read, directory)
    const known = row && ctx.seal.open(row.key)
    const accountKey = known ?? newKey()
    const client = new AcmeClient({ ...(await this.#authority()), accountKey })
    const save = (url: string | null, email: string): Promise<void> =>
      ctx.db.write('certificates.account', (tx) =>
        store.saveAccount(tx, { directory, key: ctx.seal.seal(accountKey), url, email }),
      )
    if (row && known !== undefined && row.url !== null) {
      client.account = row.url
      if (row.email === email) return client
      await client.changeContact(email)
    } else {
      // Before the authority knows it, so that a kill makes no second account.
      if (known === undefined) await save(null, '')
      await client.register(email)
    }
    await save(client.account!, email)
    return client
  }

  async #authority() {
    const { acmeDirectory: directory, acmeCa } = this.#config
    return {
      directory,
      ca: acmeCa === '' ? undefined : await readFile(acmeCa, 'utf8'),
      signal: this.#signal,
      now: () => this.ctx.clock.now(),
    }
  }

  async #forgetAccount(): Promise<void> {
    const { ctx } = this
    const row = await store.findAccount(ctx.db.read, this.#config.acmeDirectory)
    if (row) await ctx.db.write('certificates.account', (tx) => store.saveAccount(tx, { ...row, url: null }))
  }

  /** Stores the reason and the pause. The stop of the server is no failure, and neither are other settings. */
  async fail(order: store.OrderRow, error: unknown): Promise<void> {
    const { ctx, target, holder } = this
    if (this.#stop.aborted) {
      await ctx.db.write('certificates.release', (tx) => store.updateOrder(tx, target, holder, { holder: null }))
      return
    }
    const known =
      error instanceof AcmeError
        ? error
        : new AcmeError(this.#signal.aborted ? 'late' : 'other', (error as Error).message)
    const now = ctx.clock.now()
    const failures = order.failures + 1
    const nextAt = now + rules.pauseAfter(failures, known.more.retryAfterMs)
    const fault: OrderFault = { type: known.type, name: known.more.identifier ?? null, detail: known.message, at: now }
    const forgotten = rules.mayContinue(known) ? {} : { key: null, url: null }
    const isRenewal = present(ctx).found !== undefined
    await ctx.db.write('certificates.failure', async (tx) => {
      const change = { holder: null, failures, nextAt, fault, ...forgotten }
      if (!(await store.updateOrder(tx, target, holder, change))) return
      tx.publish(certificatesChanged, {})
      if (fault.name !== null) await store.insertFailure(tx, fault.name, now)
      if (fault.name !== null && failures > 1) await leaveOut(tx, fault.name)
      if (isRenewal && failures === 1)
        await notifyAdministrators(ctx, tx, TITLES.failed, rules.sentenceOf(fault, nextAt))
    })
    ctx.metrics.count(ORDERS, { result: 'failed' })
    const again = new Date(nextAt).toISOString()
    ctx.log.warn('there is no new certificate', { reason: rules.sentenceOf(fault, nextAt).en, again })
  }

  /** Plans the renewal as the authority suggests. */
  async ask(row: store.CertificateRow): Promise<void> {
    const { ctx } = this
    const { renewalIdOf } = await import('#platform/acme/keys.ts')
    const id = await renewalIdOf(row.chain)
    if (id === undefined) return
    const { newKey } = await import('#platform/acme/keys.ts')
    // Questions are not signed.
    const client = new AcmeClient({ ...(await this.#authority()), accountKey: newKey() })
    const window = await client.renewalWindow(id)
    if (window === undefined) return
    const renewAt = rules.timeInWindow(window, row.renewAt, fraction())
    const askAt = ctx.clock.now() + rules.askAfter(window.retryAfterMs, fraction())
    await ctx.db.write('certificates.renewal', (tx) => store.saveRenewal(tx, row.id, { renewAt, askAt }))
    if (renewAt <= ctx.clock.now()) work(ctx)
  }
}

async function askAuthority(ctx: AppContext): Promise<void> {
  const { found } = present(ctx)
  const now = ctx.clock.now()
  if (found === undefined || found.row.askAt > now) return
  const next = now + rules.askAfter(undefined, fraction())
  if (!(await ctx.db.write('certificates.ask', (tx) => store.takeAsking(tx, found.row.id, now, next)))) return
  try {
    await new Attempt(ctx, rules.targetOf(ctx.config), ctx.processes.id).ask(found.row)
  } catch (error) {
    // The certificate is renewed at two thirds of its time then.
    ctx.log.info('the authority did not say when to renew the certificate', { reason: (error as Error).message })
  }
}

/** An earlier public name that no longer leads here must not keep the others without a certificate. */
async function leaveOut(tx: Tx, name: string): Promise<void> {
  const { aliases = [] } = (await readServerValues(tx)).values
  const isIt = ({ origin }: { origin: string }) => new URL(origin).hostname === name
  if (!aliases.some(isIt)) return
  await setServerValue(
    tx,
    'aliases',
    aliases.map((alias) => (isIt(alias) ? { ...alias, isLeftOut: true as const } : alias)),
  )
}

const TITLES = {
  failed: { en: 'The certificate could not be renewed', zh: '证书续期失败' },
  ends: { en: 'The certificate ends soon', zh: '证书即将到期' },
} as const satisfies Record<string, Localized>

async function notifyAdministrators(ctx: AppContext, tx: Tx, title: Localized, body: Localized): Promise<void> {
  const administrators = (await platformBindings(tx)).filter(({ code }) => code === SYSTEM_ADMIN)
  const userIds = administrators.map(({ userId }) => userId)
  await notify(ctx, tx, { userIds, type: 'SYSTEM', title, body, subject: 'CERTIFICATE' })
}

/** Notifies the administrators once of a certificate that should have been renewed by now. */
export async function warnOfEnd(ctx: AppContext): Promise<void> {
  const { found, order } = present(ctx)
  if (found === undefined || found.row.warnedAt !== null) return
  if (certificateState(found.certificate, ctx.clock.now()).status === 'VALID') return
  const until = new Date(found.certificate.notAfter).toISOString().slice(0, 10)
  const why = order?.fault ? rules.sentenceOf(order.fault, order.nextAt) : { en: '', zh: '' }
  const body = { en: `It ends on ${until}. ${why.en}`.trim(), zh: `到期日：${until}。${why.zh}` }
  await ctx.db.write('certificates.warn', async (tx) => {
    if (await store.takeWarning(tx, found.row.id)) await notifyAdministrators(ctx, tx, TITLES.ends, body)
  })
}
