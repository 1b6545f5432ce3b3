/** Changes where the certificate of the server comes from, in the browser. */

import { isDeepStrictEqual } from 'node:util'

import { type Config, isShared } from '#config/config.ts'
import { certificateIsSetBy } from '#config/reach.ts'
import type { AppContext } from '#context'
import { orderSoon, targetOf } from '#domains/certificates/index.ts'
import { authorityFor, replaceAuthority } from '#domains/lan/index.ts'
import { readServerValues, type ServerValues, serverValues, setServerValue } from '#domains/settings/index.ts'
import type { LoggedActor } from '#http/endpoint.ts'
import type { FieldProblem } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'
import { hostOf } from '#lib/host-name.ts'
import type { Locale } from '#lib/localized.ts'

import { changeDoors } from '../reach/doors.service.ts'
import { configWith, startConfig, useStoredReach } from '../reach/reach.service.ts'
import { lockedField, requireOwner, tellOthers } from '../server.service.ts'
import type { CertificateView } from './certificate.model.ts'
import { showCertificate } from './certificate.service.ts'
import type { CertificateChange } from './change.model.ts'
import { contradictions, merged, NO_CERTIFICATE, problem, type Stored } from './change.rules.ts'

/** @throws AppError 400 for contradictions, start values and ports that cannot be opened, 403 (code 4031) without a recent confirmation */
export async function updateCertificate(
  ctx: AppContext,
  actor: LoggedActor,
  change: CertificateChange,
  locale: Locale,
): Promise<CertificateView> {
  await requireOwner(ctx, actor)
  let authority: Awaited<ReturnType<typeof newAuthority>>
  const plan = async (): Promise<Config> => {
    const { value, next } = planned(ctx, serverValues(ctx), change)
    authority = value.kind === 'LOCAL_CA' ? await newAuthority(ctx, value, next.publicUrl, change) : undefined
    return next
  }
  const store = async (next: Config): Promise<void> => {
    await actor.write('server.certificate', async (tx) => {
      const { values, ignored } = await readServerValues(tx)
      const { value: after } = planned(ctx, values, change)
      const before = values.certificate ?? NO_CERTIFICATE
      const isKnown = !ignored.includes('server.certificate')
      if (isKnown && isDeepStrictEqual(before, after) && authority === undefined)
        return { result: undefined, logged: 'unchanged' }
      await setServerValue(tx, 'certificate', isDeepStrictEqual(after, NO_CERTIFICATE) ? undefined : after)
      if (authority !== undefined) await replaceAuthority(tx, authority)
      if (after.kind === 'ACME') await orderSoon(ctx, tx, targetOf(next))
      await tellOthers(ctx, tx, actor, 'CERTIFICATE')
      const isNewKey = before.key !== after.key
      return {
        result: undefined,
        logged: { targetName: 'certificate', before: loggable(before), after: loggable(after, isNewKey) },
      }
    })
    await useStoredReach(ctx)
  }
  await changeDoors(ctx, { plan, store })
  return showCertificate(ctx, locale)
}

/** @throws AppError 400 */
function planned(ctx: AppContext, values: ServerValues, change: CertificateChange) {
  const locked = lockedFields(ctx, change)
  if (locked.length > 0) throw invalidAll(locked)
  const start = startConfig(ctx)
  const { value, problems } = merged(ctx.seal, values.certificate ?? NO_CERTIFICATE, change, start.acmeDirectory)
  if (problems.length > 0) throw invalidAll(problems)
  const next = configWith(ctx, { ...values, certificate: value })
  // A server that was started with --domain has agreed, and only its contact and DNS change here.
  if (certificateIsSetBy(ctx.origins) !== undefined) return { value, next }
  const wrong = contradictions(value, {
    seal: ctx.seal,
    now: ctx.clock.now(),
    present: ctx.config,
    next,
    hasDnsCommand: start.acmeDnsCommand !== '',
  })
  if (wrong.length > 0) throw invalidAll(wrong)
  return { value, next }
}

/** Fields of start values. */
const STARTED: Readonly<Partial<Record<keyof CertificateChange, string>>> = {
  email: 'acmeEmail',
  directory: 'acmeDirectory',
  dns: 'acmeDnsCommand',
}

function lockedFields(ctx: AppContext, change: CertificateChange): FieldProblem[] {
  const start = startConfig(ctx)
  const isOfProcesses = isShared(start) ? 'TESSERA_DOMAIN, TESSERA_TLS_CERT' : undefined
  const lock = certificateIsSetBy(ctx.origins) ?? isOfProcesses
  const kind = start.tlsCert !== '' ? 'FILES' : start.lan ? 'LOCAL_CA' : start.domain.length > 0 ? 'ACME' : 'NONE'
  return Object.entries(change).flatMap(([field, value]) => {
    const own = ctx.origins.get(STARTED[field as keyof CertificateChange] ?? '')
    if (own !== undefined) return [lockedField(`body.${field}`, own)]
    const isFree = kind === 'ACME' && ['email', 'directory', 'challenge', 'dns', 'agreedToTerms'].includes(field)
    if (lock === undefined || isFree || (field === 'kind' && value === kind)) return []
    return [lockedField(`body.${field}`, lock)]
  })
}

/** The authority to store with the change; undefined if there is one that may issue certificates for all names. @throws AppError 400 */
async function newAuthority(ctx: AppContext, value: Stored, publicUrl: string, change: CertificateChange) {
  const hosts = [...value.names, hostOf(publicUrl)]
  const { prepared, missing, devices } = await authorityFor(ctx, hosts, change.newAuthority ?? false)
  if (missing === undefined) return prepared
  throw invalidAll([
    problem(
      'newAuthority',
      `must be true for ${missing}, for which the present authority may not issue certificates: devices must trust the new one (${devices} have used the present one)`,
      `须为 true：现有的证书颁发机构不能为 ${missing} 颁发证书，更换后各设备须信任新的机构（${devices} 台设备使用过现有机构）`,
    ),
  ])
}

function loggable({ key, dns, ...shown }: Stored, isNewKey = false) {
  const secrets = Object.fromEntries(
    Object.entries(dns ?? {}).map(([name, text]) => [name, ['password', 'token'].includes(name) ? '***' : text]),
  )
  return { ...shown, dns: dns && secrets, key: key === null ? null : isNewKey ? '*** (new)' : '***' }
}
