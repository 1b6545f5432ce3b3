/** Earlier public addresses: links that begin with them are links to this server. */

import type { AppContext } from '#context'
import { onServerValues } from '#domains/settings/index.ts'
import { setEarlierAddresses } from '#http/addresses.ts'

/** Scanned texts and requests follow the server values from now on. */
export const followAliases = (ctx: AppContext): void =>
  onServerValues(ctx, ({ aliases = [] }) =>
    setEarlierAddresses(
      ctx,
      aliases.map(({ origin }) => origin),
    ),
  )
