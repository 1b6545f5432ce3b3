/** How far the administrators are in the setup of the server. */

import { isDeepStrictEqual } from 'node:util'

import type { AppContext } from '#context'
import { requireSystemAdmin } from '#domains/access/index.ts'
import { readServerValues, setServerValue } from '#domains/settings/index.ts'
import type { Actor, LoggedActor } from '#http/endpoint.ts'

import type { SetupChange, SetupView } from './setup.model.ts'
import { marked, setupOf } from './setup.rules.ts'

/** @throws AppError 403 */
export async function showSetup(ctx: AppContext, actor: Actor): Promise<SetupView> {
  await requireSystemAdmin(ctx.db.read, actor)
  return setupOf((await readServerValues(ctx.db.read)).values, ctx.origins)
}

/** Several administrators may mark steps at once: each change is made to the marks that are stored. @throws AppError 403 */
export async function markSteps(ctx: AppContext, actor: LoggedActor, { steps }: SetupChange): Promise<SetupView> {
  return await actor.write('server.setup', async (tx) => {
    await requireSystemAdmin(tx, actor)
    const { values } = await readServerValues(tx)
    const before = values.setup ?? { done: false, marks: {} }
    const changed = marked(before, steps, ctx.clock.now())
    const { done } = setupOf({ ...values, setup: changed }, ctx.origins)
    const after = { ...changed, done }
    const result = setupOf({ ...values, setup: after }, ctx.origins)
    if (isDeepStrictEqual(before, after)) return { result, logged: 'unchanged' }
    await setServerValue(tx, 'setup', after)
    const statuses = ({ marks }: typeof after) =>
      Object.fromEntries(steps.map(({ key }) => [key, marks[key]?.status ?? null]))
    return { result, logged: { targetName: 'setup', before: statuses(before), after: statuses(after) } }
  })
}
