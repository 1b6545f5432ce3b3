/** Scanning codes with the camera, a picture or a handheld scanner, and the history of it. */

import { QrCodeScanner } from '@mui/icons-material'

import { part } from '../../ui/part.tsx'
import { area } from '../area.ts'

export const scan = area({
  menu: [
    {
      group: 'codes',
      to: '/scan',
      label: { en: 'Scan', zh: '扫一扫' },
      icon: QrCodeScanner,
      needs: 'scanRecords.create',
      order: 20,
    },
  ],
  pages: [
    { path: '/scan', component: part(() => import('./ScanPage.tsx')) },
    { path: '/scan/history', component: part(() => import('./ScanHistory.tsx')) },
    // Public pages of free labels link to this address.
    { path: '/labels/:slug', component: part(() => import('./LabelPage.tsx')) },
  ],
})
