/** Pages that the command palette finds besides those of the menu. */

import type { OperationId } from '../../api/types.ts'
import type { Localized } from '../../i18n/locale.ts'

export interface OtherPage {
  readonly to: string
  readonly label: Localized
  /** Found only by users who may call this operation. */
  readonly needs?: OperationId
}

const page = (to: string, en: string, zh: string, needs?: OperationId): OtherPage => ({
  to,
  label: { en, zh },
  ...(needs && { needs }),
})

export const OTHER_PAGES: readonly OtherPage[] = [
  page('/codes/batch', 'Create many codes', '批量新建二维码', 'qrCodes.createBatch'),
  page('/codes/labels', 'Blank labels', '空白标签', 'qrBlanks.batches'),
  page('/codes/import', 'Import links', '导入链接', 'qrCodes.import'),
  page('/codes/statistics', 'Statistics of codes', '二维码统计', 'qrCodes.stats'),
  page('/codes/trash', 'Trash of codes', '二维码回收站', 'qrCodes.trash'),
  page('/scan/history', 'Scan history', '扫码历史', 'scanRecords.list'),
  page('/activities?view=registered', 'Activities you registered for', '已报名的活动', 'activities.list'),
  page('/activities?view=discover', 'Discover activities', '发现活动', 'activities.discover'),
  page('/activities/templates', 'Pass templates', '通行证模板', 'passTemplates.list'),
  page('/assets/loans', 'Loans', '借还', 'assets.loans'),
  page('/reservations/borrow', 'Borrow assets', '借用资产', 'assetReservations.create'),
  page('/reservations/calendar', 'Calendar of reservations', '预约日历', 'assetReservations.calendar'),
  page('/reservations/today', 'Hand out and take back today', '今日借还', 'assetReservations.pickUp'),
  page('/assets/inventories', 'Stock-takings', '盘点', 'inventories.list'),
  page('/assets/categories', 'Asset categories', '资产分类', 'assetCategories.tree'),
  page('/assets/map', 'Map of assets', '资产地图', 'assets.map'),
  page('/assets/import', 'Import assets', '导入资产', 'assets.import'),
  page('/assets/imports', 'Imports of assets', '资产导入记录', 'assets.imports'),
  page('/assets/fields', 'Fields and templates of assets', '资产字段和模板', 'metadata.fields'),
  page('/orgs/discover', 'Discover organizations', '发现组织', 'orgs.discover'),
  page('/join', 'Join an organization', '加入组织', 'orgs.apply'),
  page('/contacts/add', 'Add a contact', '添加联系人', 'contacts.request'),
  page('/account/security', 'Security: password, two-factor sign-in', '账号安全：密码、双重验证'),
  page('/account/devices', 'Signed-in devices', '登录设备'),
  page('/account/history', 'Account history: sign-ins', '账号历史：登录记录'),
  page('/account/links', 'Linked accounts', '关联账号'),
  page('/account/storage', 'Storage and sync', '存储与同步'),
  page('/account/privacy', 'Privacy, agreements, delete the account', '隐私、协议、注销账号'),
]
