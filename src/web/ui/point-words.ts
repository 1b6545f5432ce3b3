/** Words for the resources and actions of permission points. Points that administrators made are shown as they are named. */

import { things } from '../i18n/things.ts'
import { texts, textsOf, useTexts } from '../i18n/words.ts'

const resources = textsOf<string>({
  statistics: { en: 'Statistics', zh: '统计' },
  system: { en: 'Server', zh: '服务器' },
  user: things.user.many,
  org: things.organization.many,
  org_member: { en: 'Members of organizations', zh: '组织成员' },
  qr_code: things.qrCode.many,
  asset: things.asset.many,
  activity: things.activity.many,
  checkin: things.checkIn.many,
  pass: things.pass.many,
  album: things.album.one,
  category: things.folder.many,
  notification: things.notification.many,
  share: things.sharedCopy.many,
  setting: things.setting.many,
  admin_log: { en: 'Operation log', zh: '操作日志' },
  file: things.file.many,
  login_record: things.loginRecord.many,
  session: things.session.many,
  account_link: things.accountLink.many,
  scan_record: things.scanRecord.many,
  nickname_word: things.nicknameWord.many,
  agreement: things.agreement.many,
  markdown: { en: 'Markdown', zh: 'Markdown' },
  chat: things.chat.many,
  app_update: things.appVersion.many,
  meta_object: things.objectType.many,
  meta_field: things.field.many,
  meta_template: things.template.many,
  rbac_permission: things.permissionPoint.many,
  rbac_role: things.role.many,
  rbac_user_role: { en: 'Roles of users', zh: '用户角色' },
  asset_category: things.assetCategory.many,
  inventory: things.stockTaking.many,
  pass_template: things.passTemplate.many,
  meta_value: things.fieldValue.many,
  sync: { en: 'Synchronization', zh: '同步' },
  contact: things.contact.many,
  account: { en: 'Own account', zh: '本人账号' },
  member: things.member.many,
  invitation: things.invitation.many,
  join_request: things.joinRequest.many,
  location: things.location.many,
})
const actionsEn: Record<string, string> = {
  read: 'View',
  create: 'Create',
  update: 'Change',
  delete: 'Delete',
  transfer: 'Transfer',
  scrap: 'Scrap',
  revoke: 'Revoke',
  send: 'Send',
  manage: 'Manage',
  publish: 'Publish',
  render: 'Preview',
  grant: 'Grant',
  export: 'Export',
  import: 'Import',
  scan: 'Scan',
  issue: 'Issue',
  verify: 'Verify',
  bind: 'Assign',
  upload: 'Upload',
  pull: 'Read',
  push: 'Send',
  join: 'Join',
  search: 'Search',
  assign_role: 'Assign roles',
  cancel: 'Cancel',
  approve: 'Approve',
}
const actionsZh: Record<string, string> = {
  read: '查看',
  create: '创建',
  update: '修改',
  delete: '删除',
  transfer: '转让',
  scrap: '报废',
  revoke: '撤销',
  send: '发送',
  manage: '管理',
  publish: '发布',
  render: '预览',
  grant: '授予',
  export: '导出',
  import: '导入',
  scan: '扫码',
  issue: '发放',
  verify: '核验',
  bind: '绑定',
  upload: '上传',
  pull: '读取',
  push: '上传数据',
  join: '加入',
  search: '搜索',
  assign_role: '分配角色',
  cancel: '取消',
  approve: '审批',
}

export const pointWords = texts({
  en: { resources: resources.en, actions: actionsEn, point: (thing: string, action: string) => `${thing}: ${action}` },
  zh: { resources: resources.zh, actions: actionsZh, point: (thing: string, action: string) => `${thing}：${action}` },
})

interface Parts {
  readonly resource: string
  readonly action: string
}

/** Of `asset:read`. */
export function partsOf(point: string): Parts {
  const [resource = '', action = ''] = point.split(':')
  return { resource, action }
}

/** `Assets: View` for `asset:read`. */
export function usePointText(): (point: string) => string {
  const { resources, actions, point: text } = useTexts(pointWords)
  return (point) => {
    const { resource, action } = partsOf(point)
    return text(resources[resource] ?? resource, actions[action] ?? action)
  }
}

export interface PointGroup<P> {
  readonly resource: string
  readonly label: string
  readonly points: readonly P[]
}

/** Points by their resources, in alphabetical order. Those of a resource are ordered as the words above: `View` is the first. */
export function usePointGroups<P>(points: readonly P[], of: (point: P) => Parts): readonly PointGroup<P>[] {
  const { resources, actions } = useTexts(pointWords)
  const order = Object.keys(actions)
  const groups = Map.groupBy(
    points.toSorted((a, b) => order.indexOf(of(a).action) - order.indexOf(of(b).action)),
    (point) => of(point).resource,
  )
  return [...groups]
    .map(([resource, some]) => ({ resource, label: resources[resource] ?? resource, points: some }))
    .toSorted((a, b) => a.label.localeCompare(b.label))
}
