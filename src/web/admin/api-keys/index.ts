/** The API keys of all users, for administrators. */

import { Key } from '@mui/icons-material'

import { area } from '../../areas/area.ts'
import { things } from '../../i18n/things.ts'
import { part } from '../../ui/part.tsx'

export const apiKeysAdmin = area({
  menu: [
    {
      group: 'people',
      to: '/admin/api-keys',
      label: things.apiKey.many,
      icon: Key,
      needs: 'admin.apiKeys.list',
      order: 45,
    },
  ],
  pages: [{ path: '/admin/api-keys', component: part(() => import('./ApiKeyList.tsx')), needs: 'admin.apiKeys.list' }],
})
