/** Names for people who gave none: an adjective and a noun out of the lists that administrators keep. */

import { type AppContext, perContext } from '#context'
import type { WordKind } from '#db/schema/accounts.ts'
import type { Tx } from '#db/store.ts'
import type { Locale } from '#lib/localized.ts'
import { ReadCache } from '#lib/read-cache.ts'
import { MINUTE } from '#platform/clock.ts'
import { digits, fraction } from '#platform/ids.ts'

import { NICKNAME_MAX } from '../limits.ts'
import { allWords, isSeeded, seedWords, type Word } from './store.ts'
import { WORDS } from './words.ts'

/** Other processes' changes are noticed after this. */
const CACHE_MS = MINUTE
const ALL = 0

const cache = perContext(
  (ctx) =>
    new ReadCache<typeof ALL, readonly Word[]>({
      max: 1,
      maxAge: CACHE_MS,
      now: () => ctx.clock.now(),
      load: () => allWords(ctx.db.read),
    }),
)

const pick = (words: readonly string[]): string | undefined => words[Math.floor(fraction() * words.length)]

/** "Happy Panda", 快乐的熊猫; `User` and six digits when one of the lists of the language is empty. */
export async function makeNickname(ctx: AppContext, locale: Locale): Promise<string> {
  const words = cache(ctx).get(ALL) ?? (await cache(ctx).fetch(ALL)) ?? []
  const of = (kind: WordKind) => pick(words.filter((w) => w.locale === locale && w.kind === kind).map((w) => w.word))
  const [adjective, noun] = [of('ADJECTIVE'), of('NOUN')]
  if (adjective === undefined || noun === undefined) return `User${digits(6)}`
  return `${adjective}${locale === 'zh' ? '' : ' '}${noun}`.slice(0, NICKNAME_MAX)
}

/** To be called in every write that changes the lists. */
export function nicknameWordsChanged(ctx: AppContext, tx: Tx): void {
  tx.afterCommit(() => cache(ctx).drop(ALL))
}

/** The first lists of a new database. */
export async function seedNicknames(ctx: AppContext): Promise<void> {
  if (await isSeeded(ctx.db.read)) return
  const words = (['en', 'zh'] as const).flatMap((locale) =>
    (['ADJECTIVE', 'NOUN'] as const).flatMap((kind) =>
      WORDS[locale][kind].split(' ').map((word) => ({ locale, kind, word })),
    ),
  )
  await ctx.db.write('nicknames.seed', (tx) => seedWords(tx, words, ctx.clock.now()))
}
