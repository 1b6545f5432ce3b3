/** The content of users and organizations, for administrators: codes, scans, files, photos, shares, activities and assets. */

import {
  ConfirmationNumber,
  Event,
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
import { lazy } from 'react'

import { type AdminResource, area, type MenuItem } from '../../areas/area.ts'
import { things } from '../../i18n/things.ts'

type Entry = AdminResource & Pick<MenuItem, 'icon'>

const activityForm = lazy(() => import('./ActivityForm.tsx'))

/** In the order of the menu. */
const entries: readonly Entry[] = [
  {
    name: 'admin/qr-codes',
    label: things.qrCode.many,
    icon: QrCode2,
    operations: { list: 'admin.qrCodes.list', delete: 'admin.qrCodes.delete', param: 'qrCodeId' },
    list: lazy(() => import('./QrCodeList.tsx')),
  },
  {
    name: 'admin/scan-records',
    label: things.scanRecord.many,
    icon: QrCodeScanner,
    operations: { list: 'admin.scanRecords.list' },
    list: lazy(() => import('./ScanRecordList.tsx')),
  },
  {
    name: 'admin/categories',
    label: { en: 'Code folders', zh: '二维码文件夹' },
    icon: Folder,
    operations: { list: 'admin.categories.list', delete: 'admin.categories.delete', param: 'categoryId' },
    list: lazy(() => import('./CategoryList.tsx')),
  },
  {
    name: 'admin/activities',
    label: things.activity.many,
    icon: Event,
    operations: {
      list: 'admin.activities.list',
      get: 'admin.activities.get',
      create: 'admin.activities.create',
      update: 'admin.activities.update',
      delete: 'admin.activities.delete',
      param: 'activityId',
    },
    list: lazy(() => import('./ActivityList.tsx')),
    show: lazy(() => import('./ActivityShow.tsx')),
    create: activityForm,
    edit: activityForm,
  },
  {
    name: 'admin/check-ins',
    label: things.checkIn.many,
    icon: HowToReg,
    operations: { list: 'admin.checkIns.list', delete: 'admin.checkIns.delete', param: 'recordId' },
    list: lazy(() => import('./CheckInList.tsx')),
  },
  {
    name: 'admin/passes',
    label: things.pass.many,
    icon: ConfirmationNumber,
    operations: { list: 'admin.passes.list', delete: 'admin.passes.delete', param: 'passId' },
    list: lazy(() => import('./PassList.tsx')),
  },
  {
    name: 'admin/assets',
    label: things.asset.many,
    icon: Inventory2,
    operations: { list: 'assets.listAll', delete: 'assets.deleteAny' },
    list: lazy(() => import('./AssetList.tsx')),
  },
  {
    name: 'admin/asset-categories',
    label: things.assetCategory.many,
    icon: FolderSpecial,
    operations: { list: 'assetCategories.listAll', delete: 'assetCategories.deleteAny' },
    list: lazy(() => import('./AssetCategoryList.tsx')),
  },
  {
    name: 'admin/files',
    label: things.file.many,
    icon: InsertDriveFile,
    operations: { list: 'admin.files.list', delete: 'admin.files.delete', param: 'fileId' },
    list: lazy(() => import('./FileList.tsx')),
  },
  {
    name: 'admin/album',
    label: things.photo.many,
    icon: PhotoLibrary,
    operations: { list: 'admin.albums.list', delete: 'admin.albums.delete', param: 'photoId' },
    list: lazy(() => import('./AlbumList.tsx')),
  },
  {
    name: 'admin/shares',
    label: things.sharedCopy.many,
    icon: FolderShared,
    operations: { list: 'admin.shares.list', delete: 'admin.shares.delete', param: 'shareId' },
    list: lazy(() => import('./ShareList.tsx')),
  },
]

export const adminContent = area({
  menu: entries.map(({ name, label, icon, operations }, i) => ({
    group: 'content',
    to: `/${name}`,
    label,
    icon,
    needs: operations.list,
    order: 10 + i,
  })),
  resources: entries,
})
