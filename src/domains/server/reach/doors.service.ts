/** Changes the ports of this process: the new ones are open before the change is stored, and the old ones close after it. */

import type { Config } from '#config/config.ts'
import { type AppContext, perContext } from '#context'
import { DoorError } from '#http/doors.ts'
import { invalid } from '#http/validate.ts'
import type { Localized } from '#lib/localized.ts'

/** One change at a time. */
const queue = perContext(() => ({ last: Promise.resolve() }))

interface Change {
  /** The configuration that follows from the change and the values that are stored now. */
  plan(): Promise<Config> | Config
  /** Commits the values that lead to it, and makes `ctx.config` follow them. */
  store(next: Config): Promise<void>
}

/** @throws AppError 400 if a port cannot be opened, and the errors of `plan` and `store` */
export async function changeDoors(ctx: AppContext, { plan, store }: Change): Promise<void> {
  const state = queue(ctx)
  const before = state.last
  const turn = Promise.withResolvers<void>()
  state.last = turn.promise
  await before
  try {
    // In this turn: a change before it may have opened other ports.
    const next = await plan()
    const prepared = await prepare(ctx, next)
    try {
      await store(next)
    } catch (error) {
      prepared?.undo()
      throw error
    }
    await prepared?.keep()
  } finally {
    turn.resolve()
  }
}

async function prepare(ctx: AppContext, next: Config) {
  try {
    return await ctx.lifecycle.doors?.prepare(next)
  } catch (error) {
    return refuse(next, error)
  }
}

const REASONS: Readonly<Record<DoorError['reason'], (port: number) => Localized>> = {
  IN_USE: (port) => ({
    en: `needs port ${port}, which another program uses: stop that program, or choose another port`,
    zh: `需要端口 ${port}，但它已被其他程序占用：请停止该程序，或选择其他端口`,
  }),
  FORBIDDEN: (port) => ({
    en: `needs port ${port}, which this program may not open: choose one above 1023, or install the server with "tessera service install", which gets that right`,
    zh: `需要端口 ${port}，但程序无权打开：请选择大于 1023 的端口，或使用 “tessera service install” 安装为服务以获得权限`,
  }),
  NO_ADDRESS: () => ({ en: 'is no address of this machine', zh: '不是本机的地址' }),
  SILENT: (port) => ({
    en: `needs port ${port}, on which this server does not reach itself: look at the firewall of this machine`,
    zh: `需要端口 ${port}，但服务器无法通过它访问自身：请检查本机防火墙`,
  }),
}

function refuse({ httpPort }: Config, error: unknown): never {
  if (!(error instanceof DoorError)) throw error
  const { door, reason } = error
  const field =
    reason === 'NO_ADDRESS' ? 'host' : door.scheme === 'https' && door.port !== httpPort ? 'httpsPort' : 'httpPort'
  const { en, zh } = REASONS[reason](door.port)
  throw invalid(`body.${field}`, en, zh)
}
