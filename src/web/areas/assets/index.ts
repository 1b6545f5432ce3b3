/** Assets of the workspace: register, supplies, reservations, loans, stock-taking, categories, import, fields and templates. */

import { EventAvailable, Inventory2 } from '@mui/icons-material'

import { readFirstPage } from '../../api/pages.ts'
import { things } from '../../i18n/things.ts'
import { draftsOf } from '../../session/drafts.ts'
import { outboxOf } from '../../session/outbox.ts'
import { ownerQuery } from '../../session/session.ts'
import { part } from '../../ui/part.tsx'
import { area } from '../area.ts'

const AssetForm = part(() => import('./AssetForm.tsx'))
const SupplyForm = part(() => import('./supplies/SupplyForm.tsx'))

export const assets = area({
  menu: [
    {
      group: 'things',
      to: '/assets',
      label: things.asset.many,
      icon: Inventory2,
      needs: 'assets.list',
      order: 40,
    },
    {
      group: 'things',
      to: '/reservations',
      label: things.reservation.many,
      icon: EventAvailable,
      needs: 'assetReservations.list',
      inOrganization: true,
      order: 41,
    },
  ],
  pages: [
    { path: '/assets', component: part(() => import('./AssetList.tsx')) },
    { path: '/assets/new', component: AssetForm },
    {
      path: '/reservations/borrow',
      component: part(() => import('./reservations/Borrow.tsx')),
      needs: 'assetReservations.create',
    },
    { path: '/assets/categories', component: part(() => import('./Categories.tsx')) },
    { path: '/assets/fields', component: part(() => import('./fields/FieldsPage.tsx')) },
    { path: '/assets/fields/templates/:id', component: part(() => import('./fields/TemplatePage.tsx')) },
    { path: '/assets/import', component: part(() => import('./Import.tsx')) },
    { path: '/assets/imports', component: part(() => import('./Imports.tsx')) },
    { path: '/assets/inventories', component: part(() => import('./Inventories.tsx')) },
    { path: '/assets/inventories/:id', component: part(() => import('./InventoryDetail.tsx')) },
    { path: '/assets/labels', component: part(() => import('./Labels.tsx')) },
    { path: '/assets/loans', component: part(() => import('./Loans.tsx')) },
    { path: '/assets/maintenance', component: part(() => import('./Maintenance.tsx')) },
    { path: '/assets/map', component: part(() => import('./AssetMap.tsx')) },
    { path: '/assets/reports', component: part(() => import('./Reports.tsx')) },
    { path: '/reservations', component: part(() => import('./reservations/Reservations.tsx')) },
    { path: '/reservations/calendar', component: part(() => import('./reservations/Calendar.tsx')) },
    { path: '/reservations/:id', component: part(() => import('./reservations/ReservationDetail.tsx')) },
    {
      path: '/reservations/today',
      component: part(() => import('./reservations/Today.tsx')),
      needs: 'assetReservations.pickUp',
    },
    { path: '/assets/supplies', component: part(() => import('./supplies/SupplyList.tsx')) },
    { path: '/assets/supplies/new', component: SupplyForm },
    { path: '/assets/supplies/import', component: part(() => import('./supplies/Import.tsx')) },
    { path: '/assets/supplies/movements', component: part(() => import('./supplies/Movements.tsx')) },
    { path: '/assets/supplies/:id', component: part(() => import('./supplies/SupplyDetail.tsx')) },
    { path: '/assets/supplies/:id/edit', component: SupplyForm },
    { path: '/take/:uuid', component: part(() => import('./supplies/Take.tsx')) },
    { path: '/assets/:id', component: part(() => import('./AssetDetail.tsx')) },
    { path: '/assets/:id/edit', component: AssetForm },
  ],
  // The page of a running one needs no more than its row in the list.
  keep: () => readFirstPage('inventories.list', ownerQuery()),
  unsent: [
    outboxOf({
      name: 'inventory',
      batch: 1,
      send: async (scans) => (await import('./scan-outbox.ts')).sendScan(scans),
      notice: (n) => ({
        en: `${n === 1 ? '1 scan of a stock-taking was' : `${n} scans of stock-takings were`} not sent yet. Sign in with this browser again to send ${n === 1 ? 'it' : 'them'}.`,
        zh: `${n} 次盘点扫描尚未上传，将在你下次用此浏览器登录时上传。`,
      }),
    }),
    outboxOf({
      name: 'handover',
      batch: 1,
      send: async (scans) => (await import('./reservations/handover-outbox.ts')).sendHandover(scans),
      notice: (n) => ({
        en: `${n === 1 ? '1 scan that hands out or takes back was' : `${n} scans that hand out or take back were`} not sent yet. Sign in with this browser again to send ${n === 1 ? 'it' : 'them'}.`,
        zh: `${n} 次借还扫描尚未上传，将在你下次用此浏览器登录时上传。`,
      }),
    }),
    outboxOf({
      name: 'supply',
      batch: 1,
      send: async (takes) => (await import('./supplies/take-outbox.ts')).sendTake(takes),
      notice: (n) => ({
        en: `${n === 1 ? '1 thing that you took was' : `${n} things that you took were`} not sent yet. Sign in with this browser again to send ${n === 1 ? 'it' : 'them'}.`,
        zh: `${n} 条领用记录尚未上传，将在你下次用此浏览器登录时上传。`,
      }),
    }),
    outboxOf(
      draftsOf('asset', (n) => ({
        en: `${n === 1 ? '1 new asset was' : `${n} new assets were`} not sent yet. Sign in with this browser again to send ${n === 1 ? 'it' : 'them'}.`,
        zh: `${n} 件新资产尚未上传，将在你下次用此浏览器登录时上传。`,
      })),
    ),
  ],
})
