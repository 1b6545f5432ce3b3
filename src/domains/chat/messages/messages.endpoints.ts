import { app, endpoint, signedUrl } from '#http/endpoint.ts'
import { ById } from '#http/schema.ts'

import { MEDIA_URL } from './contents.view.ts'
import { forwardMessages } from './forwarding.service.ts'
import { MediaQuery } from './media.model.ts'
import { readMedia } from './media.service.ts'
import { Forwarded, ForwardMessages, SendMessage, SentMessages } from './messages.model.ts'
import { sendMessage } from './messages.service.ts'

const tag = 'Messages'

const CONTENT_TABLE = `
| \`type\` | \`content\` | added by the server |
| --- | --- | --- |
| TEXT | \`text\`, \`mentions\`? (ids of members), \`mentionsAll\`? | |
| IMAGE | \`fileId\`, \`caption\`? | \`url\`, \`thumbnailUrl\`, \`width\`, \`height\`, \`size\`, \`mime\` |
| FILE | \`fileId\`, \`name\`? | \`url\`, \`name\`, \`size\`, \`mime\` |
| VOICE | \`fileId\`, \`durationMs\` | \`url\`, \`size\`, \`mime\` |
| VIDEO | \`fileId\`, \`durationMs\`?, \`thumbnailFileId\`? | \`url\`, \`thumbnailUrl\`, \`size\`, \`mime\` |
| LOCATION | \`latitude\`, \`longitude\`, \`name\`?, \`address\`? | |
| CARD | \`userId\` (a contact, or you) | \`nickname\`, \`avatarUrl\` |
| QR_CODE | \`qrCodeId\` | \`name\`, \`content\`, \`contentType\`, \`imageUrl\` |
| ACTIVITY | \`activityId\`, \`inviteCode\`? | \`uuid\`, \`name\`, \`startTime\`, \`endTime\`, \`coverUrl\`, \`qrContent\` |
`

export const messageEndpoints = [
  endpoint({
    id: 'messages.send',
    method: 'POST',
    path: '/api/chats/messages',
    summary: 'Send a message',
    description:
      'To a user or into a conversation. A request that you repeat with the same `clientMsgId` answers with the stored messages. ' +
      `Files are uploads of yours of type \`other\`. Contents by type:\n${CONTENT_TABLE}`,
    tag,
    access: app('chat:send'),
    body: SendMessage,
    data: SentMessages,
    refuses: {
      403:
        'You cannot write to this user or in this conversation: code 4011 if the user accepts messages of contacts only, 4012 if one ' +
        'of you has blocked the other, 4015 if you have left the group or the account of the other user was deleted.',
      404: 'There is no such conversation or user, or you may not know of them.',
    },
    run: ({ ctx, actor, caller, body }) => sendMessage(ctx, actor, caller, body),
  }),
  endpoint({
    id: 'messages.forward',
    method: 'POST',
    path: '/api/chats/messages/forward',
    summary: 'Forward messages',
    description:
      'Sends copies to each of the users. There is one result for each, in the order of `userIds`; a user gets all of the messages or none.',
    tag,
    access: app('chat:send'),
    body: ForwardMessages,
    data: Forwarded,
    refuses: { 404: 'There is no such message, or you cannot see it.' },
    run: ({ ctx, actor, caller, body }) => forwardMessages(ctx, actor, caller, body),
  }),
  endpoint({
    id: 'messages.file',
    method: 'GET',
    path: '/api/chats/messages/:id/file',
    summary: 'Download the file of a message',
    description:
      'For everyone who can see the message, by the addresses in its content. They end when the message is recalled or deleted.',
    tag,
    access: signedUrl(MEDIA_URL, ['id', 'variant'], 'chat:read'),
    params: ById,
    query: MediaQuery,
    answers: '*/*',
    sendsRanges: true,
    refuses: { 403: 'The URL has expired or was changed, or the token has no permission to read conversations.' },
    run: ({ ctx, actor, request, params, query }) => readMedia(ctx, actor, request, params.id, query),
  }),
]
