/** Conversations with contacts and in groups. */

import { ChatOutlined } from '@mui/icons-material'

import { CHAT_DRAFTS } from '../../browser/database.ts'
import { storage } from '../../browser/storage.ts'
import type { Localized } from '../../i18n/locale.ts'
import { things } from '../../i18n/things.ts'
import { part } from '../../ui/part.tsx'
import { area } from '../area.ts'

/** One component for all addresses, so that the list of conversations stays while another one is opened. */
const component = part(() => import('./Chats.tsx'))

/** Whether this browser alone has a draft, that is one without `isSent` after `known` (drafts.ts, which is loaded with the pages). */
const hasDrafts = (): boolean => /"version":-?\d+}}/.test(storage.getItem(CHAT_DRAFTS) ?? '')
const UNSAVED: Localized = {
  en: 'A draft of a message has not reached the server. It is lost when you sign out.',
  zh: '有一条消息草稿尚未保存到服务器，退出登录后将丢失。',
}

export const chats = area({
  unsent: {
    start: () => undefined,
    send: async () => (await import('./drafts.ts')).saveDrafts(),
    notice: () => (hasDrafts() ? UNSAVED : undefined),
    outlivesPage: true,
  },
  menu: [
    {
      group: 'community',
      to: '/chats',
      label: things.chat.many,
      icon: ChatOutlined,
      needs: 'conversations.list',
      badge: 'messages',
      order: 70,
    },
  ],
  pages: [
    { path: '/chats', component },
    { path: '/chats/:id', component },
    // To a user with whom there may be no conversation yet.
    { path: '/chats/with/:userId', component },
  ],
})
