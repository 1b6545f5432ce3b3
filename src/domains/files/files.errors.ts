/** The errors of files. */

import type { FileEntity } from '#db/schema/files.ts'
import { badRequest, forbidden, limited, tooLarge, unsupportedType } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'
import type { Localized } from '#lib/localized.ts'

export const storageFull = () =>
  limited(
    'The storage quota is used up: delete files, or ask an administrator for more',
    '存储空间已用完，请删除文件或联系管理员',
    3600,
  )

export const notAttachable = (path: string) =>
  invalid(
    path,
    'must be the id of your own unused file of the right type and owner',
    '须为你上传的、类型和归属相符且未被使用的文件',
  )

export const notYourFile = () =>
  forbidden('Only the uploader or a manager of the organization can delete it', '只有上传者或组织管理者可以删除')

const THINGS: Readonly<Record<FileEntity, Localized>> = {
  PHOTO: { en: 'an album photo', zh: '相册照片' },
  USER: { en: 'the profile of a user', zh: '用户资料' },
  ORG: { en: 'an organization', zh: '组织' },
  GROUP: { en: 'a group', zh: '群聊' },
  ACTIVITY: { en: 'an activity', zh: '活动' },
  ASSET: { en: 'an asset', zh: '资产' },
  QR_CODE: { en: 'a QR code', zh: '二维码' },
  MESSAGE: { en: 'a chat message', zh: '聊天消息' },
  PASS_TEMPLATE: { en: 'a pass template', zh: '通行证模板' },
  META_VALUE: { en: 'a metadata value', zh: '元数据值' },
  INVENTORY: { en: 'an inventory', zh: '盘点' },
  MAINTENANCE: { en: 'a maintenance record', zh: '维护记录' },
  SUPPLY: { en: 'a supply', zh: '物料' },
  QR_DESIGN: { en: 'a design of QR codes', zh: '二维码外观' },
}

export const fileInUse = (by: FileEntity) =>
  badRequest(
    `The file is used by ${THINGS[by].en}: remove it there first`,
    `文件正被${THINGS[by].zh}使用，请先在那里移除`,
  )

export const emptyFile = () => badRequest('The file is empty', '文件为空')

export const notAccepted = () => unsupportedType('Files of this kind are not accepted here', '此处不接受这种类型的文件')
export const mislabelled = () =>
  unsupportedType('The name says that this is an image, but it is none', '文件名表明这是图片，但内容不是图片')
export const notAnImage = () =>
  unsupportedType(
    'Send a JPEG, PNG, WebP, GIF or HEIC image that other programs can open',
    '请发送可以正常打开的 JPEG、PNG、WebP、GIF 或 HEIC 图片',
  )
export const heicOff = () =>
  unsupportedType(
    'HEIC images are not accepted here: send the photo as JPEG',
    '此处不接受 HEIC 图片，请以 JPEG 格式发送照片',
  )
export const tooManyPixels = () => tooLarge('The image has more than 40 megapixels', '图片超过 4000 万像素')

export const noFile = () => badRequest('Send exactly one file, in the field file', '请在 file 字段中上传一个文件')
export const personalTypeOnly = () => invalid('body.type', 'cannot belong to an organization', '不能属于组织')

export const filesAreForeign = () =>
  badRequest(
    'The stored files belong to another database. Check the configuration; if they are those of this server, run “tessera files adopt”',
    '已存储的文件属于另一个数据库。请检查配置；如确为本服务器的文件，请运行 “tessera files adopt”',
  )
export const mostAreOrphans = () =>
  badRequest(
    'Most of the stored files are unknown to the database. Check that the server uses the right one, or send force',
    '大部分已存储的文件在数据库中没有记录，请确认服务器使用了正确的数据库，或使用 force 参数',
  )

export const tooManyUploads = (seconds: number) =>
  limited('Too many unfinished uploads: finish some of them first', '未完成的上传过多，请先完成其中一些', seconds)

export const linkInvalid = () => forbidden('The upload link is invalid or has expired', '上传链接无效或已过期')
export const uploadExpired = () => badRequest('The upload has expired: ask for a new one', '上传已过期，请重新申请')
export const uploadFinished = () => badRequest('The upload is finished already', '上传已经完成')
export const nothingReceived = () =>
  badRequest('No bytes have arrived yet: send them first', '尚未收到文件内容，请先上传')
export const wrongSize = (announced: number, received: number) =>
  badRequest(
    `The upload was announced with ${announced} bytes, but has ${received}`,
    `申请上传 ${announced} 字节，实际为 ${received} 字节`,
  )
export const wrongHash = () =>
  badRequest('The bytes do not have the announced SHA-256', '文件内容与申请时的 SHA-256 不符')
export const bytesReplaced = () =>
  badRequest('Other bytes arrived while these were checked: try again', '检查期间收到了新的内容，请重试')
