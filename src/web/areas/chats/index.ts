/** Conversations with contacts and in groups. */

import { ChatOutlined } from '@mui/icons-material'

import { things } from '../../i18n/things.ts'
import { part } from '../../ui/part.tsx'
import { area } from '../area.ts'

/** One component for all addresses, so that the list of conversations stays while another one is opened. */
const component = part(() => import('./Chats.tsx'))

export const chats = area({
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
