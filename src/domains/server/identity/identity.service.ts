/** The name, the look and the contact of the server. */

import { isDeepStrictEqual } from 'node:util'

import type { AppContext } from '#context'
import { trustUrl } from '#domains/lan/index.ts'
import {
  getSetting,
  loadServerValues,
  onServerValues,
  readServerValues,
  type ServerValues,
  serverValues,
  setServerValue,
} from '#domains/settings/index.ts'
import type { LoggedActor } from '#http/endpoint.ts'
import { iconPath } from '#http/pages.ts'
import { NO_CONTACT, setSite, siteOf } from '#http/site.ts'
import { invalidAll } from '#http/validate.ts'
import type { LogoPicture } from '#platform/images/port.ts'

import type { IdentityChange, IdentityView, ServerView } from './identity.model.ts'
import { changed, contactOf, effectiveColors, lookOf, problemsOf } from './identity.rules.ts'

/** Pages, mails and the manifest follow the server values from now on. */
export const followIdentity = (ctx: AppContext): void => onServerValues(ctx, (values) => setSite(ctx, lookOf(values)))

/** Where the icon of the product is. */
const PRODUCT_ICON = '/icons/icon-512.png'

function picturesOf({ config }: AppContext, { logo }: ServerValues) {
  const url = (picture: LogoPicture): string => config.publicUrl + iconPath(logo!.key, picture)
  return {
    logoUrl: logo === undefined ? null : url('logo'),
    iconUrl: logo === undefined ? config.publicUrl + PRODUCT_ICON : url('512'),
  }
}

function colorsOf({ identity = {} }: ServerValues) {
  const { primary = null, primaryDark = null } = identity as { primary?: string | null; primaryDark?: string | null }
  const { light, dark } = effectiveColors(primary, primaryDark)
  return { colors: { primary, primaryDark }, effectiveColors: { primary: light, primaryDark: dark } }
}

export function identityView(ctx: AppContext, values: ServerValues, version: number): IdentityView {
  const { name, shortName, description } = lookOf(values)
  const { identity = {}, logo } = values
  const contact = contactOf(identity)
  const source = (isSet: boolean) => (isSet ? ('DATABASE' as const) : ('DEFAULT' as const))
  const texts = ['name', 'shortName', 'description', 'primary', 'primaryDark', ...Object.keys(NO_CONTACT)]
  return {
    version,
    name,
    shortName,
    description,
    ...picturesOf(ctx, values),
    ...colorsOf(values),
    contact,
    sources: {
      ...Object.fromEntries(texts.map((field) => [field, source(Object.hasOwn(identity, field))])),
      logo: source(logo !== undefined),
    },
  }
}

export async function showIdentity(ctx: AppContext): Promise<IdentityView> {
  const { values, version } = await readServerValues(ctx.db.read)
  return identityView(ctx, values, version)
}

/** @throws AppError 400 */
export async function updateIdentity(
  ctx: AppContext,
  actor: LoggedActor,
  change: IdentityChange,
): Promise<IdentityView> {
  const problems = problemsOf(change)
  if (problems.length > 0) throw invalidAll(problems)
  await actor.write('server.identity', async (tx) => {
    const { values, ignored } = await readServerValues(tx)
    const { identity: before = {} } = values
    const after = changed(before, change)
    // A row that is not valid is replaced or deleted.
    if (isDeepStrictEqual(before, after ?? {}) && !ignored.includes('server.identity'))
      return { result: undefined, logged: 'unchanged' }
    await setServerValue(tx, 'identity', after)
    return { result: undefined, logged: { targetName: 'identity', before, after: after ?? {} } }
  })
  await loadServerValues(ctx)
  return showIdentity(ctx)
}

export async function showServer(ctx: AppContext): Promise<ServerView> {
  const values = serverValues(ctx)
  const { name, shortName, contact } = siteOf(ctx)
  return {
    name,
    shortName,
    publicUrl: ctx.config.publicUrl,
    trustUrl: ctx.config.lan ? trustUrl(ctx.config) : null,
    ...picturesOf(ctx, values),
    ...colorsOf(values),
    contact,
    registration: (await getSetting(ctx, 'registration.enabled')) ? 'OPEN' : 'INVITATION',
    languages: ['en', 'zh'],
  }
}
