/** QR codes of the workspace: list, folders, creating, printing, statistics. */

import { QrCode2 } from '@mui/icons-material'

import { things } from '../../i18n/things.ts'
import { draftsOf } from '../../session/drafts.ts'
import { outboxOf } from '../../session/outbox.ts'
import { part } from '../../ui/part.tsx'
import { area } from '../area.ts'

export const codes = area({
  menu: [
    {
      group: 'codes',
      to: '/codes',
      label: things.qrCode.many,
      icon: QrCode2,
      needs: 'qrCodes.list',
      order: 10,
    },
  ],
  pages: [
    { path: '/codes', component: part(() => import('./CodeList.tsx')) },
    { path: '/codes/new', component: part(() => import('./CodeCreate.tsx')) },
    { path: '/codes/batch', component: part(() => import('./BatchCreate.tsx')) },
    { path: '/codes/import', component: part(() => import('./Import.tsx')) },
    { path: '/codes/print', component: part(() => import('./Labels.tsx')) },
    { path: '/codes/labels', component: part(() => import('./Batches.tsx')) },
    { path: '/codes/labels/print', component: part(() => import('./BlankSheets.tsx')) },
    { path: '/codes/statistics', component: part(() => import('./Statistics.tsx')) },
    { path: '/codes/looks', component: part(() => import('./look/Looks.tsx')), needs: 'qrCodeDesigns.list' },
    { path: '/codes/trash', component: part(() => import('./Trash.tsx')) },
    { path: '/codes/:id', component: part(() => import('./CodeDetail.tsx')) },
    { path: '/codes/:id/link', component: part(() => import('./link/LinkPage.tsx')) },
    { path: '/codes/:id/edit', component: part(() => import('./CodeEdit.tsx')) },
  ],
  unsent: outboxOf(
    draftsOf('qrCode', (n) => ({
      en: `${n === 1 ? '1 new code was' : `${n} new codes were`} not sent yet. Sign in with this browser again to send ${n === 1 ? 'it' : 'them'}.`,
      zh: `${n} 个新二维码尚未上传，将在你下次用此浏览器登录时上传。`,
    })),
  ),
  keep: async () => (await import('./filters.ts')).keepCodes(),
})
