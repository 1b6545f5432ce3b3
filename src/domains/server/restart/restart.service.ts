/** Restarts the server for an administrator who has no terminal, and shows when that is needed. */

import type { StartChanges } from '#config/changed.ts'
import { type AppContext, perContext } from '#context'
import { findTask } from '#domains/backups/index.ts'
import type { LoggedActor } from '#http/endpoint.ts'
import { badRequest } from '#http/errors.ts'
import { SECOND } from '#platform/clock.ts'
import type { Supervisor } from '#platform/supervisor.ts'

import { requireOwner, tellOthers } from '../server.service.ts'
import type { Restarted } from './restart.model.ts'

/** Until the answer has been sent. */
const ANSWER_MS = 200

/** Files are read again after so long. Reading them takes about a millisecond. */
const READ_MS = SECOND

const readings = perContext(() => ({
  at: Number.NEGATIVE_INFINITY,
  changes: { fields: [], problems: [] } as StartChanges,
}))

function startChanges(ctx: AppContext): StartChanges {
  const last = readings(ctx)
  const now = ctx.clock.now()
  if (Math.abs(now - last.at) >= READ_MS) {
    last.changes = ctx.lifecycle.startChanges?.() ?? last.changes
    last.at = now
  }
  return last.changes
}

/** The changes that wait for a restart. */
export function restartNeed(ctx: AppContext): { needed: boolean; fields: string[]; problems: string[] } {
  const { fields, problems } = startChanges(ctx)
  return { needed: fields.length > 0, fields: [...fields], problems: [...problems] }
}

export const supervisor = ({ lifecycle }: AppContext): Supervisor => lifecycle.restart?.supervisor ?? 'NONE'

/** @throws AppError 400, 403 */
export async function restartServer(ctx: AppContext, actor: LoggedActor): Promise<Restarted> {
  await requireOwner(ctx, actor)
  const { startedAt, restart } = ctx.lifecycle
  if (restart === undefined || restart.supervisor === 'NONE')
    throw badRequest(
      'Nothing starts this server again: stop it in its terminal with Ctrl+C and start it, or install it with "tessera service install"',
      '此服务器停止后不会自动启动：请在其终端中按 Ctrl+C 停止并重新启动，或使用 “tessera service install” 安装为服务',
    )
  const problems = ctx.lifecycle.startChanges?.().problems ?? []
  if (problems.length > 0) {
    const list = problems.join(' ')
    throw badRequest(`The server would not start again. ${list}`, `服务器将无法重新启动。${list}`)
  }
  await actor.write('server.restart', async (tx) => {
    if ((await findTask(tx, ctx.clock.now())) !== undefined)
      throw badRequest('A backup or restore is under way: wait until it is done', '正在进行备份或恢复，请等待其完成')
    await tellOthers(ctx, tx, actor, 'RESTART')
    return { result: undefined, logged: { targetName: 'restart', after: { supervisor: restart.supervisor } } }
  })
  setTimeout(restart.ask, ANSWER_MS)
  return { startedAt, supervisor: restart.supervisor }
}
