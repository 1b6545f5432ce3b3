import { badRequest, forbidden } from '#http/errors.ts'
import type { Localized } from '#lib/localized.ts'

export const busy = () =>
  badRequest(
    'Another backup is being made or verified: wait until it is done',
    '另一个备份正在创建或校验，请等待其完成',
  )

/** Texts, because the schedule and the note of a backup need them too. */
export const TOOL_MISSING: Localized = {
  en: 'pg_dump was not found on the server: install PostgreSQL’s client tools there, in the version of the database or newer',
  zh: '服务器上没有 pg_dump：请安装 PostgreSQL 客户端工具，版本不低于数据库',
}
export const toolMissing = () => badRequest(TOOL_MISSING.en, TOOL_MISSING.zh)

export const INTERRUPTED: Localized = {
  en: 'The server was stopped, or ended the backup for lack of memory: make it again',
  zh: '服务器已停止，或因内存不足中止了备份，请重新备份',
}
export const notMade = (reason: string): Localized => ({
  en: `The backup could not be made: ${reason}`,
  zh: `备份失败：${reason}`,
})
export const notVerified = (reason: string): Localized => ({
  en: `The backup could not be verified: ${reason}`,
  zh: `校验失败：${reason}`,
})
export const VERIFICATION_INTERRUPTED: Localized = {
  en: 'The verification was interrupted: start it again',
  zh: '校验被中断，请重新校验',
}
export const damaged = (reason: string): Localized => ({
  en: `The backup is damaged: ${reason} Delete it and make a new one.`,
  zh: `备份已损坏：${reason} 请删除并重新备份。`,
})

export const notComplete = () =>
  badRequest('This backup has no file: it is still being made, or it failed', '该备份没有文件：仍在创建中或已失败')
export const inUse = () =>
  badRequest('This backup is being made or verified: wait until that is done', '该备份正在创建或校验，请等待其完成')
export const badLink = () => forbidden('This address is not valid', '链接无效')
export const linkExpired = () => forbidden('This address has expired; ask for a new one', '链接已过期，请重新获取')
