/** The certificate of the server, for its administrators. */

import { certificateIsSetBy } from '#config/reach.ts'
import type { AppContext } from '#context'
import { certificateOrders, checkPause, covers, orderSoon, sentenceOf, targetOf } from '#domains/certificates/index.ts'
import {
  authorityState,
  countTrustingDevices,
  lanRenewalTime,
  lookedAfter,
  renewLanCertificates,
} from '#domains/lan/index.ts'
import { askOthers, idOf, knownProcesses } from '#domains/operations/index.ts'
import { readServerValues, type ServerValues } from '#domains/settings/index.ts'
import type { LoggedActor } from '#http/endpoint.ts'
import { badRequest } from '#http/errors.ts'
import { certificateInUse, certificateProblem, servedHere } from '#http/tls.ts'
import type { Locale } from '#lib/localized.ts'
import { certificateState, factsOf } from '#platform/certificate.ts'

import type { Source } from '../server.model.ts'
import { givenAtStart, requireOwner, tellOthers } from '../server.service.ts'
import type { CertificateView } from './certificate.model.ts'

type Stored = ServerValues['certificate']
type Parts = Omit<CertificateView, 'version' | 'kind' | 'processes' | 'sources' | 'lockedBy'>

const NOTHING: Parts = {
  status: 'NONE',
  names: [],
  issuer: null,
  serial: null,
  notBefore: null,
  notAfter: null,
  renewAt: null,
  lastAttemptAt: null,
  lastError: null,
  challenge: null,
  directory: null,
  email: null,
  staging: false,
  dns: null,
  authority: null,
}

function kindOf({ config }: AppContext): CertificateView['kind'] {
  if (config.tlsCert !== '' || config.browserTls === 'FILES') return 'FILES'
  if (config.lan) return 'LOCAL_CA'
  return config.domain.length > 0 ? 'ACME' : 'NONE'
}

/** The certificate with which this process serves, whatever its kind. */
function inUse(ctx: AppContext, locale: Locale): Parts {
  const certificate = certificateInUse(ctx)
  const problem = certificateProblem(ctx)
  if (certificate === undefined) return { ...NOTHING, status: 'PENDING' }
  const { notBefore, notAfter } = certificate
  const { names, issuer, serial } = factsOf(certificate.cert)
  return {
    ...NOTHING,
    names: [...names],
    issuer,
    serial,
    status: certificateState(certificate, ctx.clock.now()).status,
    notBefore,
    notAfter,
    lastError:
      problem === undefined ? null : { code: problem.fault, sentence: problem.sentence[locale], at: problem.at },
  }
}

function acmeParts(ctx: AppContext, stored: Stored, locale: Locale, { newest, order, attemptAt }: Orders): Parts {
  const { acmeDirectory: directory, acmeEmail, domain } = ctx.config
  const present = inUse(ctx, locale)
  const isComplete = newest !== undefined && covers(newest.names, domain)
  const fault = order?.fault
  const dns = dnsOf(ctx, stored)
  return {
    ...present,
    status: isComplete ? certificateState(newest, ctx.clock.now()).status : fault ? 'FAILED' : 'PENDING',
    names: [...domain],
    renewAt: fault ? order.nextAt : (newest?.renewAt ?? null),
    lastAttemptAt: attemptAt,
    lastError: fault ? { code: fault.type, sentence: sentenceOf(fault, order.nextAt)[locale], at: fault.at } : null,
    challenge: dns === null ? 'HTTP_01' : 'DNS_01',
    directory,
    email: acmeEmail || null,
    staging: isStaging(directory),
    dns,
  }
}

/** Whether a directory has a name for tests, as that of Let's Encrypt. */
const isStaging = (directory: string): boolean => /(^|[.-])(staging|test)([.-]|$)/.test(new URL(directory).hostname)

type Orders = Awaited<ReturnType<typeof certificateOrders>>

function dnsOf({ config }: AppContext, stored: Stored): CertificateView['dns'] {
  const nothing = { url: null, username: null, subdomain: null, zoneId: null, hasPassword: false, hasToken: false }
  if (config.acmeDnsCommand !== '') return { kind: 'COMMAND', ...nothing }
  if (stored?.challenge !== 'DNS_01' || stored.dns === null) return null
  if (stored.dns.kind === 'CLOUDFLARE') {
    const { kind, zoneId, token } = stored.dns
    return { ...nothing, kind, zoneId, hasToken: token !== '' }
  }
  const { kind, url, username, subdomain, password } = stored.dns
  return { ...nothing, kind, url, username, subdomain, hasPassword: password !== '' }
}

async function lanParts(ctx: AppContext, locale: Locale): Promise<Parts> {
  const state = authorityState(ctx)
  const parts = inUse(ctx, locale)
  if (state === undefined) return parts
  const { name, fingerprint, notAfter } = state.authority
  const served = certificateInUse(ctx)
  return {
    ...parts,
    renewAt: served === undefined ? null : lanRenewalTime(served),
    authority: { name, fingerprint, notAfter, trustedDevices: await countTrustingDevices(ctx, state) },
  }
}

/** Of all processes that live: those that do not answer have no serial number. */
async function processesOf(ctx: AppContext): Promise<CertificateView['processes']> {
  const others = (await knownProcesses(ctx)).flatMap(({ id, isLost }) => (isLost || id === idOf(ctx) ? [] : [id]))
  const answers = await askOthers<ReturnType<typeof servedHere>>(ctx, 'certificate', others, null)
  const silent = { serial: null, since: null }
  return [{ id: idOf(ctx), ...servedHere(ctx) }, ...others.map((id) => ({ id, ...(answers.get(id) ?? silent) }))]
}

function sourcesOf(ctx: AppContext, stored: Stored): Record<string, Source> {
  const otherwise: Source = stored === undefined ? 'DEFAULT' : 'DATABASE'
  const from = (...keys: string[]): Source =>
    keys.map((key) => givenAtStart(ctx, key)).find((given) => given !== undefined)?.source ?? otherwise
  return {
    kind: from('tlsCert', 'lan', 'domain'),
    names: from('tlsCert', 'lan', 'domain'),
    email: from('acmeEmail'),
    directory: from('acmeDirectory'),
    challenge: from('acmeDnsCommand'),
    dns: from('acmeDnsCommand'),
  }
}

export async function certificateView(
  ctx: AppContext,
  stored: Stored,
  version: number,
  locale: Locale,
): Promise<CertificateView> {
  const kind = kindOf(ctx)
  const parts = {
    NONE: () => NOTHING,
    FILES: () => inUse(ctx, locale),
    LOCAL_CA: () => lanParts(ctx, locale),
    ACME: async () => acmeParts(ctx, stored, locale, await certificateOrders(ctx)),
  }
  const [shown, processes] = await Promise.all([parts[kind](), kind === 'NONE' ? [] : processesOf(ctx)])
  return {
    version,
    kind,
    ...shown,
    processes,
    sources: sourcesOf(ctx, stored),
    lockedBy: certificateIsSetBy(ctx.origins) ?? null,
  }
}

export async function showCertificate(ctx: AppContext, locale: Locale): Promise<CertificateView> {
  const { values, version } = await readServerValues(ctx.db.read)
  return certificateView(ctx, values.certificate, version, locale)
}

/** @throws AppError 400, 403 (code 4031), 429 */
export async function renewCertificate(ctx: AppContext, actor: LoggedActor, locale: Locale): Promise<CertificateView> {
  await requireOwner(ctx, actor)
  const kind = kindOf(ctx)
  if (kind === 'NONE') throw badRequest('The server has no certificate that it could renew', '此服务器没有可续期的证书')
  if (kind === 'FILES')
    throw badRequest(
      'The certificate comes from files: renew it where they were made, and replace them',
      '证书来自文件：请在其来源处续期并替换文件',
    )
  await actor.write('server.renewCertificate', async (tx) => {
    if (kind === 'LOCAL_CA') renewLanCertificates(tx)
    else {
      await checkPause(ctx, tx)
      const { newest } = await certificateOrders(ctx, tx)
      await orderSoon(ctx, tx, targetOf(ctx.config), newest?.id)
    }
    await tellOthers(ctx, tx, actor, 'CERTIFICATE')
    return { result: undefined, logged: { targetName: 'certificate', after: { renewal: kind } } }
  })
  await lookedAfter(ctx)
  return showCertificate(ctx, locale)
}
