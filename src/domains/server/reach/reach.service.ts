/** How people reach the server: the address, the names and the ports. Changes act at once, and nobody can lock themselves out. */

import { isDeepStrictEqual } from 'node:util'

import { type Config, hasTls, isShared } from '#config/config.ts'
import { effectiveConfig, reachKey, type StoredValues } from '#config/reach.ts'
import { type AppContext, perContext } from '#context'
import { applySettings } from '#domains/certificates/index.ts'
import {
  loadServerValues,
  onServerValues,
  readServerValues,
  type ServerValues,
  serverValues,
  setServerValue,
} from '#domains/settings/index.ts'
import type { LoggedActor } from '#http/endpoint.ts'
import type { FieldProblem } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'
import type { Locale } from '#lib/localized.ts'

import { reachWarnings } from '../aliases/aliases.rules.ts'
import { aliasesAfterChange, aliasesKept, aliasViews } from '../aliases/aliases.service.ts'
import { givenAtStart, lockedField, requireOwner, tellOthers } from '../server.service.ts'
import { changeDoors } from './doors.service.ts'
import type { ReachChange, ReachView } from './reach.model.ts'
import { contradictions, merged } from './reach.rules.ts'

const state = perContext((ctx) => ({
  /** The start values, with the ports that the system has chosen. */
  start: ctx.config,
  /** Why the stored values are not used. */
  ignored: undefined as string | undefined,
}))

/** From now on `ctx.config` is the configuration in force. */
export function followReach(ctx: AppContext): void {
  state(ctx)
  onServerValues(ctx, (values) => {
    if (state(ctx).ignored !== undefined) return
    const { domain } = ctx.config
    use(ctx, configWith(ctx, values))
    if (ctx.lifecycle.doors === undefined || isDeepStrictEqual(domain, ctx.config.domain)) return
    applySettings(ctx).catch((error: unknown) =>
      ctx.log.error('the names of the certificate did not change', { error }),
    )
  })
}

// One object, see createContext. Addresses are made from the configuration whenever they are needed.
const use = (ctx: AppContext, config: Config): void => void Object.assign(ctx, { config })

export const startConfig = (ctx: AppContext): Config => state(ctx).start

export const configWith = (ctx: AppContext, values: StoredValues): Config =>
  effectiveConfig(state(ctx).start, ctx.origins, values, ctx.machine())

/** Takes the ports that the system has chosen instead of 0. */
export function keepPorts(ctx: AppContext, chosen: Config): void {
  const held = state(ctx)
  const { start } = held
  const port = start.port || (hasTls(start) ? chosen.port : (chosen.beside?.port ?? chosen.port))
  held.start = {
    ...start,
    port,
    httpPort: start.httpPort === 0 ? chosen.httpPort : start.httpPort,
    beside: start.beside && chosen.beside,
    publicUrl: start.publicUrl.replace(/:0$/, `:${port}`),
  }
  use(ctx, chosen)
}

/** The server goes on with its start values. Returns false if it uses no others. */
export function ignoreReach(ctx: AppContext, reason: Error): boolean {
  const held = state(ctx)
  if (held.ignored !== undefined || isDeepStrictEqual(ctx.config, held.start)) return false
  held.ignored = reason.message
  use(ctx, held.start)
  ctx.log.warn('the stored address cannot be used: the server answers as it was started', { reason: reason.message })
  return true
}

/** After a change of the address or the certificate, whose ports are open: the stored values are used, also after a start that ignored them. */
export async function useStoredReach(ctx: AppContext): Promise<void> {
  state(ctx).ignored = undefined
  await loadServerValues(ctx)
}

const FIELDS = ['mode', 'publicUrl', 'names', 'host', 'httpsPort', 'httpPort', 'loopback'] as const

/** The fields of a change, as they are in force. */
function fieldsInForce({ config }: AppContext, stored: ServerValues['reach'], isLocked: boolean) {
  const { mode, publicUrl } = config
  if (!isLocked && stored)
    return { mode, publicUrl, ...pick(stored, ['names', 'host', 'httpsPort', 'httpPort', 'loopback']) }
  const ports = isLocked
    ? {
        host: config.host,
        httpsPort: hasTls(config) ? config.port : null,
        httpPort: hasTls(config) ? config.httpPort : config.port,
      }
    : { host: null, httpsPort: null, httpPort: null }
  return { mode, publicUrl, names: [...config.domain], ...ports, loopback: true }
}

const pick = <T, K extends keyof T>(from: T, keys: readonly K[]): Pick<T, K> =>
  Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<T, K>

export async function reachView(
  ctx: AppContext,
  { reach, aliases = [] }: ServerValues,
  version: number,
  locale: Locale,
): Promise<ReachView> {
  const lock = lockOf(ctx)
  const source = lock?.source ?? (reach === undefined ? 'DEFAULT' : 'DATABASE')
  return {
    version,
    ...fieldsInForce(ctx, reach, lock !== undefined),
    aliases: await aliasViews(ctx, aliases),
    listeners: (ctx.lifecycle.doors?.list() ?? []).map(({ scheme, host, port }) => ({ scheme, host, port })),
    warnings: warningsOf(ctx, aliases, locale),
    sources: {
      ...Object.fromEntries(FIELDS.map((field) => [field, source])),
      // It follows from the names and ports.
      ...(lock === undefined && reach?.publicUrl === null && { publicUrl: 'DEFAULT' as const }),
    },
    lockedBy: lock?.name ?? null,
  }
}

function warningsOf(ctx: AppContext, aliases: Aliases, locale: Locale): ReachView['warnings'] {
  const { ignored } = state(ctx)
  const warnings = [...reachWarnings(ctx.config.publicUrl, locale), ...leftOut(aliases, locale)]
  if (ignored === undefined) return warnings
  const texts = {
    en: `The stored address could not be used when the server was started: ${ignored}`,
    zh: `服务器启动时无法使用已保存的地址：${ignored}`,
  }
  return [{ code: 'IGNORED', text: texts[locale] }, ...warnings]
}

type Aliases = NonNullable<ServerValues['aliases']>

const leftOut = (aliases: Aliases, locale: Locale): ReachView['warnings'] =>
  aliases.flatMap(({ origin, isLeftOut }) => {
    const texts = {
      en: `The authority could not validate ${new URL(origin).hostname}, so the certificate is not for this earlier address: browsers warn of codes that were printed with it.`,
      zh: `证书颁发机构无法验证 ${new URL(origin).hostname}，证书不包含此曾用地址：扫描以它印刷的二维码时浏览器会发出警告。`,
    }
    return isLeftOut ? [{ code: 'ALIAS_LEFT_OUT', text: texts[locale] }] : []
  })

export async function showReach(ctx: AppContext, locale: Locale): Promise<ReachView> {
  const { values, version } = await readServerValues(ctx.db.read)
  return reachView(ctx, values, version, locale)
}

/** The start value that sets the address. With several processes, all of it is set at the start, except the address of a proxy. */
function lockOf(ctx: AppContext) {
  const key = reachKey(ctx.origins)
  return key && givenAtStart(ctx, key)
}

function lockedFields(ctx: AppContext, change: ReachChange, stored: ServerValues['reach']): FieldProblem[] {
  const lock = lockOf(ctx)
  const shared = isShared(ctx.config)
  if (lock === undefined && !shared) return []
  const now: Readonly<Record<string, unknown>> = fieldsInForce(ctx, stored, lock !== undefined)
  const isFree = (field: string) =>
    lock === undefined && (field === 'publicUrl' || (field === 'mode' && change.mode === 'PROXY'))
  const changed = Object.entries(change).filter(
    ([field, value]) => !isFree(field) && !isDeepStrictEqual(value, now[field]),
  )
  return changed.map(([field]) =>
    lockedField(`body.${field}`, lock?.name ?? 'TESSERA_HOST, TESSERA_PORT, TESSERA_DOMAIN'),
  )
}

/**
 * `isForced`: also removes aliases under which something was printed.
 *
 * @throws AppError 400 for contradictions, start values and ports that cannot be opened, 403 (code 4031) without a recent confirmation
 */
export async function updateReach(
  ctx: AppContext,
  actor: LoggedActor,
  { aliases: kept, ...change }: ReachChange,
  { isForced, locale }: { readonly isForced: boolean; readonly locale: Locale },
): Promise<ReachView> {
  await requireOwner(ctx, actor)
  const plan = () => planned(ctx, serverValues(ctx), change).next
  const store = async (next: Config): Promise<void> => {
    await actor.write('server.reach', async (tx) => {
      const { values, ignored } = await readServerValues(tx)
      const { reach: before, aliases = [] } = values
      const { value } = planned(ctx, values, change)
      const isKnown = !ignored.includes('server.reach')
      const after = isKnown && isDeepStrictEqual(value, before) ? undefined : value
      const remaining = kept === undefined ? aliases : await aliasesKept(ctx, tx, aliases, kept, isForced)
      const earlier = await aliasesAfterChange(ctx, tx, remaining, ctx.config.publicUrl, next.publicUrl)
      if (after === undefined && isDeepStrictEqual(earlier, aliases)) return { result: undefined, logged: 'unchanged' }
      if (after !== undefined) await setServerValue(tx, 'reach', after)
      await setServerValue(tx, 'aliases', earlier)
      await tellOthers(ctx, tx, actor, 'REACH')
      const origins = (list: typeof aliases) => list.map(({ origin }) => origin)
      return {
        result: undefined,
        logged: {
          targetName: 'reach',
          before: { ...before, aliases: origins(aliases) },
          after: { ...(after ?? before), aliases: origins(earlier) },
        },
      }
    })
    await useStoredReach(ctx)
  }
  await changeDoors(ctx, { plan, store })
  return showReach(ctx, locale)
}

/** `value`: undefined if the change has no field. @throws AppError 400 */
function planned(ctx: AppContext, values: ServerValues, change: Omit<ReachChange, 'aliases'>) {
  if (Object.keys(change).length === 0) return { value: undefined, next: ctx.config }
  const locked = lockedFields(ctx, change, values.reach)
  if (locked.length > 0) throw invalidAll(locked)
  const { value, problems } = merged(values.reach, ctx.config.mode, change)
  if (problems.length > 0) throw invalidAll(problems)
  const next = configWith(ctx, { ...values, reach: value })
  const wrong = contradictions(value, values.certificate?.kind ?? 'NONE', next)
  if (wrong.length > 0) throw invalidAll(wrong)
  return { value, next }
}
