import { type AppContext, perContext } from '#context'
import { pause } from '#lib/pause.ts'

const turns = perContext(() => ({ last: Promise.resolve() }))

/**
 * Resolves in a turn of the event loop that belongs to the caller alone. Reads of SQLite resolve in the same turn, so without this fifty
 * large pages that are asked for at once would be made in a single turn, in which the server does nothing else.
 */
export const ownTurn = (ctx: AppContext): Promise<void> => (turns(ctx).last = turns(ctx).last.then(pause))
