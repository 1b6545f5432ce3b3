import { badRequest } from '#http/errors.ts'
import type { Localized } from '#lib/localized.ts'

export const folderMissing = (folder: string) =>
  badRequest(
    `The folder of backups ${folder} is missing: connect its disk, or choose another folder in the settings`,
    `备份文件夹 ${folder} 不存在：请连接其磁盘，或在设置中选择其他文件夹`,
  )

/** Ends of sentences about a folder that cannot be chosen. */
export const NOT_ABSOLUTE: Localized = {
  en: 'must be a whole path, such as /mnt/backup',
  zh: '须为完整路径，例如 /mnt/backup',
}
export const NO_FOLDER: Localized = {
  en: 'is not an existing folder: create it first',
  zh: '不是已有的文件夹，请先创建',
}
export const IN_DATA: Localized = {
  en: 'is in a folder of the server’s own data: choose one outside',
  zh: '位于服务器自身数据的文件夹内，请选择其外的文件夹',
}
export const NO_ANSWER: Localized = {
  en: 'does not answer: check whether its disk is connected',
  zh: '没有响应，请检查其磁盘是否已连接',
}
export const OTHER_BYTES: Localized = {
  en: 'gave back other bytes than were written to it: its disk is damaged',
  zh: '读回的内容与写入的不同，其磁盘可能已损坏',
}
/** `code`: of the operating system. */
export const notUsable = (code: string): Localized => ({
  en: `cannot be written to and read (${code}): give it to the user of the server, and let a service write there (ReadWritePaths)`,
  zh: `无法写入和读取（${code}）：请将其权限授予服务器的用户；作为服务运行时还须允许其写入（ReadWritePaths）`,
})
