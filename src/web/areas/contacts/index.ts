/** Contacts: list, requests, the user's card, and who may find and ask the user. */

import { ContactsOutlined } from '@mui/icons-material'

import { things } from '../../i18n/things.ts'
import { part } from '../../ui/part.tsx'
import { area } from '../area.ts'

export const contacts = area({
  menu: [
    {
      group: 'community',
      to: '/contacts',
      label: things.contact.many,
      icon: ContactsOutlined,
      needs: 'contacts.list',
      order: 80,
    },
  ],
  pages: [
    { path: '/contacts', component: part(() => import('./Contacts.tsx')) },
    { path: '/contacts/add', component: part(() => import('./AddContact.tsx')) },
    { path: '/contacts/:id', component: part(() => import('./ContactDetail.tsx')) },
  ],
})
