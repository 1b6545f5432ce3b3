/** Earlier public addresses: links that begin with them are links to this server. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { onServerValues, type PartValue, serverValues } from '#domains/settings/index.ts'
import { setEarlierAddresses } from '#http/addresses.ts'
import { badRequest } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'
import { normalAddress } from '#lib/own-link.ts'

import type { AliasView } from './aliases.model.ts'
import { aliasesAfter } from './aliases.rules.ts'
import { printedNumbers } from './printed.service.ts'

type Aliases = PartValue<'aliases'>

/** Scanned texts and requests follow the server values from now on. */
export const followAliases = (ctx: AppContext): void =>
  onServerValues(ctx, ({ aliases = [] }) =>
    setEarlierAddresses(
      ctx,
      aliases.map(({ origin }) => origin),
    ),
  )

export async function aliasViews(
  ctx: AppContext,
  aliases: Aliases = serverValues(ctx).aliases ?? [],
): Promise<AliasView[]> {
  const printedOn = await printedNumbers(
    ctx,
    ctx.db.read,
    aliases.map(({ origin }) => origin),
  )
  return aliases.map(({ origin, since }) => ({ origin, since, printed: printedOn(origin) }))
}

/** The aliases after the public address has changed, for the write of that change. */
export async function aliasesAfterChange(
  ctx: AppContext,
  tx: Tx,
  aliases: Aliases,
  oldPublicUrl: string,
  newPublicUrl: string,
): Promise<Aliases> {
  const addresses = [...aliases.map(({ origin }) => origin), oldPublicUrl]
  const printedOn = await printedNumbers(ctx, tx, addresses)
  return aliasesAfter(aliases, oldPublicUrl, newPublicUrl, ctx.clock.now(), printedOn)
}

/**
 * The aliases that remain if an administrator keeps these addresses, for the write of that change.
 *
 * @throws AppError 400 for an address that is not an alias, and unless `isForced` if something was printed on a removed one
 */
export async function aliasesKept(
  ctx: AppContext,
  tx: Tx,
  aliases: Aliases,
  origins: readonly string[],
  isForced: boolean,
): Promise<Aliases> {
  const known = new Set(aliases.map(({ origin }) => normalAddress(origin)))
  const kept = origins.map(normalAddress)
  const unknown = kept.flatMap((origin, i) =>
    origin !== undefined && known.has(origin)
      ? []
      : [
          {
            path: `body.aliases.${i}`,
            text: {
              en: 'is not an earlier address: they are added when the public address changes',
              zh: '不是曾用地址：更改公开地址时会自动添加',
            },
          },
        ],
  )
  if (unknown.length > 0) throw invalidAll(unknown)
  const removed = aliases.filter(({ origin }) => !kept.includes(normalAddress(origin)))
  if (!isForced) await refusePrinted(ctx, tx, removed)
  return aliases.filter((alias) => !removed.includes(alias))
}

async function refusePrinted(ctx: AppContext, tx: Tx, removed: Aliases): Promise<void> {
  const origins = removed.map(({ origin }) => origin)
  const printedOn = await printedNumbers(ctx, tx, origins)
  const printed = origins.filter((origin) => printedOn(origin) > 0)
  if (printed.length === 0) return
  const things = printed.reduce((sum, origin) => sum + printedOn(origin), 0)
  throw badRequest(
    `Codes, labels, passes and posters that were fetched with ${printed.join(', ')}: ${things}. They would no longer be recognized; send force=true to remove the address all the same`,
    `已有 ${things} 个二维码、标签、通行证或海报使用了 ${printed.join('、')}，删除后将无法识别：如仍要删除，请使用 force=true`,
  )
}
