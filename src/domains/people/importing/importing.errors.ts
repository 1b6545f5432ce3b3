import { badRequest, forbidden, limited } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'

export const noUsernameColumn = () =>
  badRequest(
    'The sheet has no column for the username: choose which of its columns is the username',
    '表格缺少用户名列，请选择哪一列是用户名',
  )
export const noMailServer = () =>
  badRequest('This server sends no mails: import with start codes', '服务器未配置邮件，请使用初始码导入')
export const mayNotAddMembers = () => forbidden('You may not add members to organizations', '你无权向组织添加成员')
export const unknownOrganization = () => invalid('body.orgId', 'is not the id of an organization', '不是已有组织的 ID')
/** Others have used them up since it was decided who gets a mail. A repeat of the request decides it again. */
export const mailsUsedUp = () =>
  limited('The invitation mails of this day were used up meanwhile: import again', '今日邀请邮件已用完，请重新导入', 1)
