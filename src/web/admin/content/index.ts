/** The content of users and organizations, for administrators: codes, scans, files, photos, shares, activities, assets and supplies. */

import {
  Category,
  ConfirmationNumber,
  Event,
  EventAvailable,
  Folder,
  FolderShared,
  FolderSpecial,
  HowToReg,
  InsertDriveFile,
  Inventory2,
  PhotoLibrary,
  QrCode2,
  QrCodeScanner,
} from '@mui/icons-material'

import { area, type MenuItem, type Page } from '../../areas/area.ts'
import { things } from '../../i18n/things.ts'
import { part } from '../../ui/part.tsx'

/** In the order of the menu: the entries, and the pages of their lists. */
const lists: readonly (Pick<MenuItem, 'label' | 'icon'> &
  Pick<Page, 'path' | 'component'> &
  Required<Pick<Page, 'needs'>>)[] = [
  {
    path: '/admin/qr-codes',
    label: things.qrCode.many,
    icon: QrCode2,
    needs: 'admin.qrCodes.list',
    component: part(() => import('./QrCodeList.tsx')),
  },
  {
    path: '/admin/scan-records',
    label: things.scanRecord.many,
    icon: QrCodeScanner,
    needs: 'admin.scanRecords.list',
    component: part(() => import('./ScanRecordList.tsx')),
  },
  {
    path: '/admin/categories',
    label: { en: 'Code folders', zh: '二维码文件夹' },
    icon: Folder,
    needs: 'admin.categories.list',
    component: part(() => import('./CategoryList.tsx')),
  },
  {
    path: '/admin/activities',
    label: things.activity.many,
    icon: Event,
    needs: 'admin.activities.list',
    component: part(() => import('./ActivityList.tsx')),
  },
  {
    path: '/admin/check-ins',
    label: things.checkIn.many,
    icon: HowToReg,
    needs: 'admin.checkIns.list',
    component: part(() => import('./CheckInList.tsx')),
  },
  {
    path: '/admin/passes',
    label: things.pass.many,
    icon: ConfirmationNumber,
    needs: 'admin.passes.list',
    component: part(() => import('./PassList.tsx')),
  },
  {
    path: '/admin/assets',
    label: things.asset.many,
    icon: Inventory2,
    needs: 'assets.listAll',
    component: part(() => import('./AssetList.tsx')),
  },
  {
    path: '/admin/supplies',
    label: things.supply.many,
    icon: Category,
    needs: 'supplies.listAll',
    component: part(() => import('./SupplyList.tsx')),
  },
  {
    path: '/admin/asset-categories',
    label: things.assetCategory.many,
    icon: FolderSpecial,
    needs: 'assetCategories.listAll',
    component: part(() => import('./AssetCategoryList.tsx')),
  },
  {
    path: '/admin/reservations',
    label: things.reservation.many,
    icon: EventAvailable,
    needs: 'assetReservations.listAll',
    component: part(() => import('./ReservationList.tsx')),
  },
  {
    path: '/admin/files',
    label: things.file.many,
    icon: InsertDriveFile,
    needs: 'admin.files.list',
    component: part(() => import('./FileList.tsx')),
  },
  {
    path: '/admin/album',
    label: things.photo.many,
    icon: PhotoLibrary,
    needs: 'admin.albums.list',
    component: part(() => import('./AlbumList.tsx')),
  },
  {
    path: '/admin/shares',
    label: things.sharedCopy.many,
    icon: FolderShared,
    needs: 'admin.shares.list',
    component: part(() => import('./ShareList.tsx')),
  },
]

const activityForm = part(() => import('./ActivityForm.tsx'))

export const adminContent = area({
  menu: lists.map(({ path, label, icon, needs }, i) => ({
    group: 'content',
    to: path,
    label,
    icon,
    needs,
    order: 10 + i,
  })),
  pages: [
    ...lists,
    { path: '/admin/activities/create', component: activityForm, needs: 'admin.activities.create' },
    { path: '/admin/activities/:id', component: activityForm, needs: 'admin.activities.update' },
    {
      path: '/admin/activities/:id/show',
      component: part(() => import('./ActivityShow.tsx')),
      needs: 'admin.activities.get',
    },
  ],
})
