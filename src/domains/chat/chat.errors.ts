/** The refusals of chat with business codes of their own (4022 is `limited` of http/errors.ts). */

import { AppError, badRequest, type FieldProblem, limited } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'

/** The other user accepts messages of contacts only. */
export const notContacts = () =>
  new AppError(403, 4011, {
    en: 'This user accepts messages of contacts only: send a contact request first',
    zh: '对方只接收联系人的消息，请先发送联系人申请',
  })

/** Either user has blocked the other; the answer does not say which. */
export const messageRefused = () => new AppError(403, 4012, { en: 'The message was refused', zh: '消息已被拒收' })

export const refusalOf = (code: 4011 | 4012): AppError => (code === 4011 ? notContacts() : messageRefused())

export const recallTimedOut = (seconds: number) =>
  new AppError(400, 4014, {
    en: `Messages can be recalled within ${seconds} seconds only`,
    zh: `消息发送超过 ${seconds} 秒后不能撤回`,
  })

/** The caller has left the group, or the account of the other user was deleted. */
export const notInConversation = () =>
  new AppError(403, 4015, {
    en: 'You can no longer write in this conversation',
    zh: '你已无权在该会话中发送消息',
  })

/** The caller is in the conversation, but has no permission for this operation. */
export const noPermissionOnConversation = () =>
  new AppError(403, 4015, {
    en: 'You do not have permission for this in the conversation',
    zh: '你在该会话中没有执行此操作的权限',
  })

export const editTimedOut = (seconds: number) =>
  seconds === 0
    ? new AppError(400, 4014, { en: 'Messages cannot be edited on this server', zh: '此服务器不允许编辑消息' })
    : new AppError(400, 4014, {
        en: `Messages can be edited within ${seconds} seconds only`,
        zh: `消息发送超过 ${seconds} 秒后不能编辑`,
      })

export const unknownMessageType = () =>
  new AppError(400, 4020, { en: 'The message type is unknown', zh: '未知的消息类型' })

export const contentInvalid = (details: readonly FieldProblem[]) =>
  new AppError(400, 4021, { en: 'The content of the message is not valid', zh: '消息内容校验失败' }, { details })

/** `retryAfter` in seconds. */
export const tooManyMessages = (perMinute: number, retryAfter: number) =>
  limited(
    `You can send ${perMinute} messages a minute: try again later`,
    `每分钟最多发送 ${perMinute} 条消息，请稍后再试`,
    retryAfter,
  )

export const messageToOneself = () => invalid('body.toUserId', 'must be the id of another user', '不能是你自己')
export const oneTarget = () =>
  invalid('body.toUserId', 'is needed, or conversationId, but not both', '与 conversationId 须且只能提供一个')
export const clientMsgIdUsed = () =>
  invalid('body.clientMsgId', 'was already used for another message', '已用于另一条消息')
export const draftChanged = (data: unknown) =>
  new AppError(
    409,
    409,
    { en: 'The draft was changed on another device meanwhile', zh: '草稿已在其他设备上被修改' },
    { data },
  )
export const cannotReply = () =>
  invalid(
    'body.replyToId',
    'must be the id of a message of the same conversation that you can see',
    '须为同一会话中你可见的消息',
  )
export const notForwardable = () =>
  badRequest(
    'Recalled messages, messages of the system and those whose file was deleted cannot be forwarded',
    '已撤回的消息、系统消息和文件已被删除的消息不能转发',
  )
export const notYourMessage = () =>
  new AppError(403, 403, { en: 'Only the sender can recall a message', zh: '只有发送者可以撤回消息' })
export const notYourText = () =>
  new AppError(403, 403, { en: 'Only the sender can edit a message', zh: '只有发送者可以编辑消息' })
export const notEditable = () =>
  badRequest('Only texts that are neither recalled nor forwarded can be edited', '只能编辑未撤回、非转发的文字消息')
export const notMembers = (path: string) =>
  contentInvalid([{ path, text: { en: 'must be ids of members of the conversation', zh: '须为会话成员' } }])
export const noGroupToMention = (path: string) =>
  contentInvalid([{ path, text: { en: 'is for messages to groups', zh: '只能用于群聊消息' } }])
export const allNotAdded = () =>
  contentInvalid([
    { path: 'body.content.mentionsAll', text: { en: 'cannot be added by an edit', zh: '不能通过编辑添加' } },
  ])
/** `retryAfter` in seconds. */
export const tooManyMentionsOfAll = (perDay: number, retryAfter: number) =>
  limited(`You can mention everybody ${perDay} times a day`, `每天最多可 @所有人 ${perDay} 次`, retryAfter)
export const noAttachments = () =>
  invalid('body.attachments', 'can be sent with type TEXT or IMAGE only', '只能与 TEXT 或 IMAGE 类型一起发送')
export const contentBesideAttachments = () =>
  invalid('body.content', 'must be left out for an IMAGE with attachments', '发送带附件的 IMAGE 时不能提供')
