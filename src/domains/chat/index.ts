/** Chat: conversations, messages, groups and catching up. */

import { domain } from '#domains/domain.ts'
import { lostBy } from '#domains/events.ts'
import { SECOND } from '#platform/clock.ts'

import { chatAdminEndpoints } from './admin/chat.admin.endpoints.ts'
import { conversationEndpoints } from './conversations/conversations.endpoints.ts'
import { directConversation, hideDirect, isAcquainted } from './conversations/conversations.service.ts'
import { hasConversations, leaveDirect } from './conversations/conversations.store.ts'
import { forgetDeletionsOf } from './deleted.store.ts'
import { deletionEndpoints } from './deletions.endpoints.ts'
import { editEndpoints } from './edits.endpoints.ts'
import { exportEndpoints } from './exports/exports.endpoints.ts'
import { socketHello, startFeed, stopFeed } from './feed/feed.service.ts'
import { startReadCounts, stopReadCounts } from './feed/read-counts.service.ts'
import { groupEndpoints } from './groups/groups.endpoints.ts'
import { clearAvatars, followImported, followJoined, followLeft, removeFromGroups } from './groups/groups.listeners.ts'
import { deleteOldCursorsJob, flushCursors, listenForTyping, liveFrames } from './live.service.ts'
import { deleteCursorsOf } from './live.store.ts'
import { markEndpoints } from './marks/marks.endpoints.ts'
import { lostFilesJob } from './messages/media.service.ts'
import { insertLostFiles } from './messages/media.store.ts'
import { messageEndpoints } from './messages/messages.endpoints.ts'
import { noteEndpoints } from './notes.endpoints.ts'
import { chatAreas, eraseDrafts } from './own-data.store.ts'
import { pinEndpoints } from './pins/pins.endpoints.ts'
import { reactionEndpoints } from './reactions/reactions.endpoints.ts'
import { recallEndpoints } from './recall.endpoints.ts'
import { reportEndpoints } from './reports/reports.endpoints.ts'
import { deleteOldReportsJob } from './reports/reports.service.ts'
import { deleteReportsOf } from './reports/reports.store.ts'
import { retentionJob, startPurging, stopPurging } from './retention.jobs.ts'
import { searchEndpoints } from './search/search.endpoints.ts'
import { indexMessages } from './search/search.service.ts'
import { syncEndpoints } from './sync/sync.endpoints.ts'

export const chat = domain({
  name: 'chat',
  endpoints: [
    ...conversationEndpoints,
    ...messageEndpoints,
    ...recallEndpoints,
    ...editEndpoints,
    ...deletionEndpoints,
    ...noteEndpoints,
    ...pinEndpoints,
    ...reportEndpoints,
    ...markEndpoints,
    ...groupEndpoints,
    ...reactionEndpoints,
    ...searchEndpoints,
    ...exportEndpoints,
    ...syncEndpoints,
    ...chatAdminEndpoints,
  ],
  jobs: [
    retentionJob,
    lostFilesJob,
    { name: 'chat.indexMessages', every: 10 * SECOND, run: indexMessages },
    deleteOldCursorsJob,
    deleteOldReportsJob,
  ],
  on: {
    async 'files.deleted'(_ctx, tx, { files }) {
      const [ofMessages, ofGroups] = [lostBy(files, 'MESSAGE'), lostBy(files, 'GROUP')]
      if (ofMessages) await insertLostFiles(tx, ofMessages.fileIds)
      if (ofGroups) await clearAvatars(tx, ofGroups)
    },
    'contact.deleted': (_ctx, tx, { userId, otherId }) => hideDirect(tx, userId, otherId),
    'member.joined': followJoined,
    'members.imported': followImported,
    'member.left': followLeft,
    'user.deleting': (_ctx, tx, { userId }) => deleteCursorsOf(tx, userId),
  },
  async remains(ctx, tx, owner, limit) {
    let rows = await removeFromGroups(ctx, tx, owner, limit)
    if (owner > 0) return rows
    if (rows < limit) rows += await leaveDirect(tx, -owner, limit - rows)
    if (rows < limit) rows += await forgetDeletionsOf(tx, -owner, limit - rows)
    if (rows < limit) rows += await deleteReportsOf(tx, -owner, limit - rows)
    return rows
  },
  // Everyone else opens files by the messages that have them.
  fileEntities: { MESSAGE: async (_ctx, userId, _id, { uploaderId }) => uploaderId === userId },
  dataAreas: chatAreas,
  erase: eraseDrafts,
  acquaintance: isAcquainted,
  directConversation,
  socketHello,
  socketFrames: liveFrames,
  userContent: hasConversations,
  async start(ctx) {
    startPurging(ctx)
    listenForTyping(ctx)
    startReadCounts(ctx)
    await startFeed(ctx)
  },
  async stop(ctx) {
    await stopPurging(ctx)
    await flushCursors(ctx)
    await stopReadCounts(ctx)
    await stopFeed(ctx)
  },
})

export { type DeviceMessage, messagesForDevices } from './devices.service.ts'
