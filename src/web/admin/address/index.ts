/** The address of the server, the ports behind it, and its certificate. */

import { LanguageOutlined } from '@mui/icons-material'

import { area } from '../../areas/area.ts'
import { part } from '../../ui/part.tsx'

export const address = area({
  menu: [
    {
      group: 'system',
      to: '/admin/address',
      label: { en: 'Address and certificate', zh: '地址与证书' },
      icon: LanguageOutlined,
      needs: 'server.values',
      order: 6,
    },
  ],
  pages: [{ path: '/admin/address', component: part(() => import('./AddressPage.tsx')) }],
})
