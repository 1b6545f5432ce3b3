/**
 * The points of a role in words for owners of organizations, with the page on which members use them and the other points that they need.
 * Points that administrators of the server made are shown by their description.
 */

import type { Locale, Localized } from '../../i18n/locale.ts'
import { things } from '../../i18n/things.ts'

interface PointWords {
  readonly en: string
  readonly zh: string
  /** Besides the point that reads the things of the group. */
  readonly needs?: readonly string[]
  /** If it is not the page of the group. */
  readonly page?: Localized
}

interface Group {
  readonly key: string
  readonly label: Localized
  /** The page that the points open. */
  readonly page: Localized
  /** The point that the others need. */
  readonly read: string
  readonly points: Readonly<Record<string, PointWords>>
}

/** Every member needs it to open the organization. */
const BASIC = 'org:read'

const many = (thing: keyof typeof things): Localized => things[thing].many
const STOCK_TAKING = many('stockTaking')
const MEMBERS: Localized = { en: 'Members', zh: '成员' }
const JOINING: Localized = { en: 'Joining', zh: '加入' }

const GROUPS: readonly Group[] = [
  {
    key: 'org',
    label: many('organization'),
    page: { en: 'Overview', zh: '概览' },
    read: BASIC,
    points: {
      'org:read': { en: 'May open the organization and see its numbers', zh: '可以打开组织并查看统计' },
      'org:update': { en: 'May change the organization and its code', zh: '可以修改组织和组织码' },
      'org:delete': { en: 'May dissolve the organization', zh: '可以解散组织' },
      'org:transfer': { en: 'May transfer the organization', zh: '可以转让组织' },
    },
  },
  {
    key: 'activity',
    label: many('activity'),
    page: many('activity'),
    read: 'activity:read',
    points: {
      'activity:read': { en: 'May see all activities', zh: '可以查看所有活动' },
      'activity:create': { en: 'May create activities', zh: '可以新建活动' },
      'activity:update': { en: 'May change activities and their guests', zh: '可以修改活动和参加者' },
      'activity:delete': { en: 'May delete activities', zh: '可以删除活动' },
      'activity:publish': { en: 'May publish, end and cancel activities', zh: '可以发布、结束和取消活动' },
    },
  },
  {
    key: 'pass',
    label: many('pass'),
    page: many('activity'),
    read: 'pass:read',
    points: {
      'pass:read': { en: 'May see passes and their use', zh: '可以查看通行证和使用记录', needs: ['activity:read'] },
      'pass:verify': {
        en: 'May admit guests',
        zh: '可以检票放行',
        needs: ['activity:read'],
        page: { en: 'Gate', zh: '检票' },
      },
      'pass:issue': { en: 'May issue passes', zh: '可以发放通行证', needs: ['activity:read'] },
      'pass:revoke': { en: 'May revoke passes', zh: '可以作废通行证', needs: ['activity:read'] },
      'pass_template:manage': { en: 'May make kinds of passes', zh: '可以管理通行证模板', needs: ['activity:read'] },
    },
  },
  {
    key: 'checkin',
    label: many('checkIn'),
    page: many('activity'),
    read: 'activity:read',
    points: {
      'checkin:read': { en: 'May see who has checked in', zh: '可以查看签到记录' },
      'checkin:create': { en: 'May check in', zh: '可以签到' },
    },
  },
  {
    key: 'asset',
    label: many('asset'),
    page: many('asset'),
    read: 'asset:read',
    points: {
      'asset:read': { en: 'May see all assets, and print labels', zh: '可以查看所有资产并打印标签' },
      'asset:create': { en: 'May register assets', zh: '可以登记资产' },
      'asset:update': { en: 'May change assets', zh: '可以修改资产' },
      'asset:transfer': { en: 'May hand out assets and take them back', zh: '可以发放和收回资产' },
      'asset:scrap': { en: 'May scrap assets', zh: '可以报废资产' },
      'asset:delete': { en: 'May delete assets', zh: '可以删除资产' },
      'asset:import': { en: 'May import assets from spreadsheets', zh: '可以从表格导入资产' },
      'asset:export': { en: 'May export assets', zh: '可以导出资产' },
      'asset_category:manage': { en: 'May manage asset categories', zh: '可以管理资产分类' },
      'inventory:manage': { en: 'May start and close stock-taking', zh: '可以发起和结束盘点', page: STOCK_TAKING },
      'inventory:scan': { en: 'May count assets', zh: '可以扫码盘点', page: STOCK_TAKING },
    },
  },
  {
    key: 'location',
    label: many('location'),
    page: many('location'),
    read: 'location:read',
    points: {
      'location:read': { en: 'May see locations', zh: '可以查看位置' },
      'location:create': { en: 'May add locations', zh: '可以添加位置' },
      'location:update': { en: 'May change locations', zh: '可以修改位置' },
      'location:delete': { en: 'May delete locations', zh: '可以删除位置' },
    },
  },
  {
    key: 'qr_code',
    label: many('qrCode'),
    page: many('qrCode'),
    read: 'qr_code:read',
    points: {
      'qr_code:read': { en: 'May see QR codes and their numbers', zh: '可以查看二维码和统计' },
      'qr_code:create': { en: 'May create QR codes', zh: '可以新建二维码' },
      'qr_code:update': { en: 'May change QR codes', zh: '可以修改二维码' },
      'qr_code:delete': { en: 'May delete QR codes', zh: '可以删除二维码' },
      'qr_code:publish': { en: 'May make QR codes public', zh: '可以公开二维码' },
      'qr_code:export': { en: 'May export QR codes', zh: '可以导出二维码' },
    },
  },
  {
    key: 'album',
    label: many('album'),
    page: things.album.one,
    read: 'album:read',
    points: {
      'album:read': { en: 'May see the photos', zh: '可以查看照片' },
      'album:create': { en: 'May add photos', zh: '可以添加照片' },
      'album:delete': { en: 'May delete photos', zh: '可以删除照片' },
    },
  },
  {
    key: 'share',
    label: many('sharedCopy'),
    page: many('sharedCopy'),
    read: 'share:read',
    points: {
      'share:read': { en: 'May see shared copies', zh: '可以查看共享副本' },
      'share:create': { en: 'May share copies with the organization', zh: '可以向组织共享副本' },
      'share:delete': { en: 'May delete shared copies', zh: '可以删除共享副本' },
    },
  },
  {
    key: 'member',
    label: many('member'),
    page: MEMBERS,
    read: 'member:read',
    points: {
      'member:read': { en: 'May see the members', zh: '可以查看成员' },
      'member:update': { en: 'May change names of members', zh: '可以修改成员名称' },
      'member:assign_role': { en: 'May give roles to members', zh: '可以分配成员角色', needs: ['member:update'] },
      'member:delete': { en: 'May remove members', zh: '可以移除成员' },
    },
  },
  {
    key: 'invitation',
    label: many('invitation'),
    page: JOINING,
    read: 'invitation:read',
    points: {
      'invitation:read': { en: 'May see invitations', zh: '可以查看邀请' },
      'invitation:create': { en: 'May invite people', zh: '可以邀请成员' },
      'invitation:cancel': { en: 'May withdraw invitations', zh: '可以撤回邀请' },
    },
  },
  {
    key: 'join_request',
    label: many('joinRequest'),
    page: JOINING,
    read: 'join_request:read',
    points: {
      'join_request:read': { en: 'May see requests to join', zh: '可以查看加入申请' },
      'join_request:approve': { en: 'May decide about requests to join', zh: '可以审批加入申请' },
    },
  },
  {
    key: 'meta',
    label: many('field'),
    page: many('field'),
    read: 'meta_field:read',
    points: {
      'meta_field:read': { en: 'May see fields', zh: '可以查看字段' },
      'meta_field:create': { en: 'May create fields', zh: '可以新建字段' },
      'meta_field:update': { en: 'May change fields', zh: '可以修改字段' },
      'meta_field:delete': { en: 'May delete fields', zh: '可以删除字段' },
      'meta_template:read': { en: 'May see templates', zh: '可以查看模板' },
      'meta_template:create': { en: 'May create templates', zh: '可以新建模板', needs: ['meta_template:read'] },
      'meta_template:update': { en: 'May change templates', zh: '可以修改模板', needs: ['meta_template:read'] },
      'meta_template:delete': { en: 'May delete templates', zh: '可以删除模板', needs: ['meta_template:read'] },
      'meta_template:bind': { en: 'May assign templates to things', zh: '可以绑定模板', needs: ['meta_template:read'] },
      'meta_value:read': { en: 'May see the values of fields', zh: '可以查看字段值' },
      'meta_value:update': {
        en: 'May fill in fields',
        zh: '可以填写字段值',
        needs: ['meta_template:read', 'meta_value:read'],
      },
    },
  },
]

const OTHERS = { key: 'other', label: { en: 'Others', zh: '其他' } as Localized, page: undefined, read: BASIC }

interface Described {
  readonly name: string
  readonly text: string
  readonly page: string | undefined
}

const byName = new Map(
  GROUPS.flatMap((group) => Object.entries(group.points).map(([name, words]) => [name, { group, words }] as const)),
)

/** `May admit guests`; for a point that an administrator made, its description. */
export const pointText = (name: string, locale: Locale, description = name): string =>
  byName.get(name)?.words[locale] ?? description

/** The points in groups, in the order in which they are shown. */
export function groupPoints(
  points: readonly { readonly name: string; readonly description: string }[],
  locale: Locale,
): { key: string; label: string; points: Described[] }[] {
  const descriptions = new Map(points.map(({ name, description }) => [name, description]))
  const others = points.filter(({ name }) => !byName.has(name)).map(({ name }) => name)
  return [...GROUPS.map((group) => [group, Object.keys(group.points)] as const), [OTHERS, others] as const]
    .map(([{ key, label, page }, names]) => ({
      key,
      label: label[locale],
      points: names
        .filter((name) => descriptions.has(name))
        .map((name) => ({
          name,
          text: pointText(name, locale, descriptions.get(name)!),
          page: (byName.get(name)?.words.page ?? page)?.[locale],
        })),
    }))
    .filter((group) => group.points.length > 0)
}

function needsOf(name: string): readonly string[] {
  const found = byName.get(name)
  return [BASIC, ...(found === undefined ? [] : [found.group.read, ...(found.words.needs ?? [])])]
}

/** The points with those that they need, as far as the caller can give them. */
export function completed(chosen: Iterable<string>, givable: ReadonlySet<string>): ReadonlySet<string> {
  const all = new Set(chosen)
  for (const name of all) for (const needed of needsOf(name)) if (givable.has(needed)) all.add(needed)
  return all
}
