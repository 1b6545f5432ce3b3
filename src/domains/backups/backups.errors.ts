import { badRequest, type FieldProblem, forbidden, tooLarge as payloadTooLarge } from '#http/errors.ts'
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

export const lengthNeeded = () =>
  badRequest('Send the size of the body as Content-Length', '请以 Content-Length 发送请求体大小')
export const badRange = () =>
  badRequest(
    'Content-Range must be "bytes START-END/TOTAL" and fit the size of the body',
    'Content-Range 必须是“bytes 起始-结束/总数”，且与请求体大小一致',
  )
export const nameTaken = () => badRequest('There is a backup of this name already', '已有同名备份')
export const isArriving = () =>
  badRequest('This backup is being uploaded by another request', '另一个请求正在上传此备份')
export const wrongStart = (size: number) =>
  badRequest(
    `The server has ${size} bytes of this backup: go on at byte ${size}, or send it again without Content-Range`,
    `服务器已收到此备份的 ${size} 字节：请从第 ${size} 字节继续，或去掉 Content-Range 重新上传`,
  )
export const cutOff = () =>
  badRequest('The body is shorter or longer than Content-Length', '请求体与 Content-Length 不符')
export const noBackup = () => badRequest('This is not a backup of Tessera', '这不是 Tessera 的备份文件')
export const tooLarge = (bytes: number) =>
  payloadTooLarge(
    `The backup does not fit on the disk of the server, which has room for ${bytes} bytes and needs 1 GB more for itself`,
    `服务器磁盘空间不足：还可存放 ${bytes} 字节，另需为自身保留 1 GB`,
  )

export const verifyFirst = () => badRequest('Verify this backup first', '请先校验此备份')
export const notConfirmed = (): FieldProblem => ({
  path: 'body.confirm',
  text: { en: 'is not the name of the backup', zh: '与备份名称不一致' },
})
export const cannotRestore = () =>
  badRequest(
    'This process cannot restore: start the server with "tessera serve"',
    '此进程无法恢复备份：请用“tessera serve”启动服务器',
  )
export const noOldData = () => badRequest('The replaced data was deleted', '被替换的数据已删除')
export const RESTORE_INTERRUPTED: Localized = {
  en: 'The data was not replaced: the server was stopped before',
  zh: '数据未被替换：服务器在此之前已停止',
}

/** Why a backup cannot be restored, and what to do. */
export const REFUSED = {
  NEWER: {
    en: 'The backup is of a newer version of Tessera: install that version here first.',
    zh: '该备份来自更新版本的 Tessera：请先在此安装该版本。',
  },
  OTHER_KIND: {
    en: 'The backup contains another kind of database than this server uses (SQLite or PostgreSQL).',
    zh: '备份中的数据库类型与此服务器不同（SQLite 或 PostgreSQL）。',
  },
  SECRET: {
    en: 'The server would not have the secret of the backup: start it with the TESSERA_SECRET of the server that the backup is of, or without one if that one had none.',
    zh: '此服务器没有该备份的密钥：请使用原服务器的 TESSERA_SECRET 启动；如原服务器未设置，则不要设置。',
  },
  SPACE: {
    en: 'There is not enough free space: the old data stays until you delete it.',
    zh: '可用空间不足：旧数据会保留到你删除为止。',
  },
  PROCESSES: {
    en: 'Other processes of the server are running: stop them first.',
    zh: '还有其他服务器进程在运行：请先停止它们。',
  },
  DATABASE_NOT_EMPTY: {
    en: 'With PostgreSQL, a backup is restored into an empty database only: create one, stop the server, set TESSERA_DATABASE_URL to it, and run "tessera restore FILE" with this backup.',
    zh: '使用 PostgreSQL 时只能恢复到空数据库：请新建一个数据库，停止服务器，将 TESSERA_DATABASE_URL 指向它，并运行“tessera restore 文件”。',
  },
  SHARED_FILES: {
    en: 'Files are restored into the data directory: start the server without TESSERA_SHARED_FILES first.',
    zh: '文件只能恢复到数据目录：请先去掉 TESSERA_SHARED_FILES 再启动服务器。',
  },
} as const satisfies Record<string, Localized>
