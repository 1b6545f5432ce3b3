/** The authority of this server in a private network, which all processes share, and the certificate with which this process serves. */

import { PRIVATE_RANGES } from '#config/machine.ts'
import { type AppContext, perContext } from '#context'
import type { Tx } from '#db/store.ts'
import { countDevicesSince } from '#domains/accounts/index.ts'
import { siteOf } from '#http/site.ts'
import type { CertificateSource } from '#http/tls.ts'
import { hostOf } from '#lib/host-name.ts'
import { sharedRuns } from '#lib/shared-runs.ts'
import { type Topic, topic } from '#platform/bus.ts'
import { BadCertificate, type Certificate } from '#platform/certificate.ts'
import { MINUTE } from '#platform/clock.ts'
import { BadKey } from '#platform/keys.ts'
import {
  type AuthorityFacts,
  createAuthority,
  issueCertificate,
  type Names,
  readAuthority,
} from '#platform/local-authority.ts'

import { authorityNames, certificateNames, covers, isDue, sameNames } from './authority.rules.ts'
import * as store from './authority.store.ts'

/** How often addresses of the machine are looked at, and whether the certificate is due. */
const LOOK_EVERY_MS = MINUTE

const authorityChanged: Topic<null> = topic('lan.authorityChanged')
const renewalAsked: Topic<null> = topic('lan.renewalAsked')

interface Issued {
  readonly row: store.AuthorityRow
  readonly authority: AuthorityFacts
  readonly names: Names
  readonly certificate: Certificate
}

const stateOf = perContext((ctx) => ({
  /** Undefined if this process does not serve with certificates of the authority. */
  issued: undefined as Issued | undefined,
  lookedAt: 0,
  look: sharedRuns(() => look(ctx)),
  /** The last call of `look`, without its error. */
  running: Promise.resolve(),
  changed: (): void => undefined,
  isFollowing: false,
  isRenewalAsked: false,
}))

/**
 * Makes the authority if there is none, and a certificate for this process.
 * @throws BadKey if the key of the authority cannot be opened, BadCertificate if it is not for the public address
 */
export async function lanCertificates(ctx: AppContext): Promise<CertificateSource> {
  const state = stateOf(ctx)
  await state.look()
  const { row, authority } = state.issued!
  const host = hostOf(ctx.config.publicUrl)
  if (!covers(row.names, host))
    throw new BadCertificate(
      'authority',
      `The local authority is for ${row.names.join(', ')} and private addresses, and not for ${host}: set TESSERA_PUBLIC_URL to one of them, or replace it with "tessera rotate-local-authority", after which devices must trust the new one.`,
      `本地证书颁发机构适用于 ${row.names.join('、')} 和私有地址，不适用于 ${host}：请将 TESSERA_PUBLIC_URL 设为其中之一，或使用 “tessera rotate-local-authority” 更换，之后各设备须信任新的机构。`,
    )
  ctx.log.info('local authority', { name: authority.name, fingerprint: authority.fingerprint })
  if (!state.isFollowing) {
    state.isFollowing = true
    ctx.bus.on(authorityChanged, () => lookLater(ctx))
    ctx.bus.on(renewalAsked, () => {
      state.isRenewalAsked = true
      lookLater(ctx)
    })
    ctx.bus.onGap(() => lookLater(ctx))
  }
  return {
    read() {
      if (ctx.clock.now() - state.lookedAt >= LOOK_EVERY_MS) lookLater(ctx)
      return state.issued!.certificate
    },
    onChange(changed) {
      state.changed = changed
    },
  }
}

function lookLater(ctx: AppContext): void {
  if (!ctx.config.lan) return
  const state = stateOf(ctx)
  state.running = state.look().catch((error: unknown) => {
    ctx.log.error('the certificate for the network was not looked after: the server keeps the one that it has', {
      error,
    })
  })
}

/** In the caller's write: each process serves with a new certificate of the authority soon after. */
export const renewLanCertificates = (tx: Tx): void => tx.publish(renewalAsked, null)

/** Resolves when this process serves with the certificate that it should. */
export async function lookedAfter(ctx: AppContext): Promise<void> {
  await stateOf(ctx).running
}

/** Exchanges the certificate if the authority or the addresses have changed, or if it is due. */
async function look(ctx: AppContext): Promise<void> {
  const { clock, config, seal } = ctx
  const state = stateOf(ctx)
  const now = clock.now()
  state.lookedAt = now
  const row = (await store.findAuthority(ctx.db.read)) ?? (await makeAuthority(ctx))
  const names = certificateNames(row.names, ctx.machine(), config.publicUrl)
  const { issued, isRenewalAsked } = state
  state.isRenewalAsked = false
  const isSame = issued?.row.certificate === row.certificate && sameNames(issued.names, names)
  if (isSame && !isRenewalAsked && !isDue(issued.certificate, now)) return
  const key = seal.open(row.sealedKey)
  if (key === undefined)
    throw new BadKey(
      'The key of the local authority was sealed with another secret: set TESSERA_SECRET or put back keys/signing.key, or replace the authority with "tessera rotate-local-authority", after which devices must trust the new one.',
    )
  state.issued = {
    row,
    authority: readAuthority(row.certificate),
    names,
    certificate: await issueCertificate(siteOf(ctx).name, { certificate: row.certificate, key }, names, now),
  }
  state.changed()
}

/** Other processes may make one at the same time: all use the one that was stored first. */
async function makeAuthority(ctx: AppContext): Promise<store.AuthorityRow> {
  const made = await prepareAuthority(ctx)
  await ctx.db.write('lan.makeAuthority', (tx) => store.insertAuthority(tx, made))
  return (await store.findAuthority(ctx.db.read))!
}

/** A new authority that is not stored yet, for the names of this machine, of the public address, and `others`, which must be private. */
export async function prepareAuthority(ctx: AppContext, others: readonly string[] = []): Promise<store.NewAuthority> {
  const names = authorityNames(ctx.machine(), ctx.config.publicUrl, others)
  const now = ctx.clock.now()
  const { certificate, key } = await createAuthority(siteOf(ctx).name, { dns: names, ranges: PRIVATE_RANGES }, now)
  return { certificate, sealedKey: ctx.seal.seal(key), names, createdAt: now }
}

interface AuthorityChange {
  /** To be stored; undefined if the present one may issue certificates for all hosts. */
  readonly prepared: store.NewAuthority | undefined
  /** The first host that needs another authority. */
  readonly missing?: string | undefined
  /** That have used the present one. */
  readonly devices: number
}

/** The authority to store for certificates of `hosts`, which are private. `isNew`: the present one is replaced in any case. */
export async function authorityFor(
  ctx: AppContext,
  hosts: readonly string[],
  isNew: boolean,
): Promise<AuthorityChange> {
  const row = await store.findAuthority(ctx.db.read)
  const missing = row && !isNew ? hosts.find((host) => !covers(row.names, host)) : undefined
  if (row && !isNew)
    return {
      prepared: undefined,
      missing,
      devices: missing === undefined ? 0 : await countDevicesSince(ctx.db.read, row.createdAt),
    }
  return { prepared: await prepareAuthority(ctx, hosts), devices: 0 }
}

/** Replaces the authority in the caller's write: all processes then serve with its certificates, and devices must trust it. */
export async function replaceAuthority(tx: Tx, prepared: store.NewAuthority): Promise<void> {
  await store.replaceAuthority(tx, prepared)
  tx.publish(authorityChanged, null)
}

export interface AuthorityState {
  readonly authority: AuthorityFacts
  /** The DNS names for which it may issue certificates, with those below them. */
  readonly allowedNames: readonly string[]
  readonly createdAt: number
  /** Of the certificate with which this process serves. */
  readonly certificate: { readonly names: Names; readonly notAfter: number }
}

/** Undefined if this process does not serve with certificates of the authority. */
export function authorityState(ctx: AppContext): AuthorityState | undefined {
  const { issued } = stateOf(ctx)
  if (issued === undefined || !ctx.config.lan) return undefined
  const { row, authority, names, certificate } = issued
  const { names: allowedNames, createdAt } = row
  return { authority, allowedNames, createdAt, certificate: { names, notAfter: certificate.notAfter } }
}

/** Devices that have used the server since the authority was made: those that have to trust a new one. */
export const countTrustingDevices = (ctx: AppContext, { createdAt }: AuthorityState): Promise<number> =>
  countDevicesSince(ctx.db.read, createdAt)
