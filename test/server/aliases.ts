/** Earlier addresses of a server under test. */

import { loadServerValues, setServerValue } from '#domains/settings/index.ts'

import type { TestServer } from '../harness/index.ts'

/** In-process servers only. */
export async function setAliases({ ctx }: Pick<TestServer, 'ctx'>, origins: readonly string[]): Promise<void> {
  const since = Date.UTC(2026, 0, 1)
  await ctx.db.write('test.aliases', (tx) =>
    setServerValue(
      tx,
      'aliases',
      origins.map((origin) => ({ origin, since })),
    ),
  )
  await loadServerValues(ctx)
}
