/** Words for the values of enums of the interface, such as `ACTIVE`. Used where several areas show the same values. */

import { currentLocale, type Localized } from './locale.ts'
import { things } from './things.ts'
import { useLocale } from './words.ts'

const word = (en: string, zh: string): Localized => ({ en, zh })

export const enums = {
  activityStatus: {
    DRAFT: word('Draft', '草稿'),
    ACTIVE: word('Published', '已发布'),
    ENDED: word('Ended', '已结束'),
    CANCELLED: word('Cancelled', '已取消'),
  },
  activityVisibility: {
    PUBLIC: word('Public', '公开'),
    RESTRICTED: word('Members only', '仅组织成员'),
    INVITE_ONLY: word('By invitation', '凭邀请码'),
  },
  ownerType: { PERSONAL: word('User', '个人'), ORGANIZATION: word('Organization', '组织') },
  contentType: {
    TEXT: word('Text', '文本'),
    URL: word('Link', '网址'),
    WIFI: word('Wi-Fi', 'Wi-Fi'),
    VCARD: word('Contact', '名片'),
    EMAIL: word('E-mail', '邮件'),
    PHONE: word('Phone', '电话'),
    SMS: word('SMS', '短信'),
    GEO: word('Place', '位置'),
    EVENT: word('Event', '日程'),
    OTHER: word('Other', '其他'),
  },
  scanSource: { CAMERA: word('Camera', '相机'), IMAGE: word('Picture', '图片'), MANUAL: word('Typed', '手动输入') },
  checkInMethod: {
    GPS: word('Position', '定位'),
    CODE: word('Short code', '签到口令'),
    QR: word('QR code', '扫码'),
    MANUAL: word('By hand', '人工'),
  },
  checkInListKind: {
    ENTRANCE: word('Entrance', '入口'),
    SESSION: word('Session', '分会场'),
    MEAL: word('Meal', '用餐'),
    OTHER: word('Other', '其他'),
  },
  passStatus: {
    ISSUED: word('Valid', '有效'),
    USED: word('Used up', '已用完'),
    EXPIRED: word('Expired', '已过期'),
    REVOKED: word('Revoked', '已作废'),
  },
  assetStatus: {
    IN_USE: word('In use', '使用中'),
    IDLE: word('Idle', '闲置'),
    REPAIR: word('In repair', '维修中'),
    LOST: word('Lost', '丢失'),
    SCRAPPED: word('Scrapped', '已报废'),
  },
  reservationStatus: {
    REQUESTED: word('Not decided yet', '待审批'),
    APPROVED: word('Approved', '已批准'),
    REJECTED: word('Rejected', '已拒绝'),
    CANCELLED: word('Cancelled', '已取消'),
    OUT: word('Handed out', '已借出'),
    RETURNED: word('Returned', '已归还'),
    EXPIRED: word('Expired', '已过期'),
  },
  supplyKind: {
    CONSUMABLE: word('Is used up', '消耗品'),
    POOL: word('Is lent', '借用品'),
  },
  supplyMovement: {
    IN: word('In', '入库'),
    TAKE: word('Taken', '领用'),
    RETURN: word('Returned', '归还'),
    MOVE: word('Moved', '移库'),
    COUNT: word('Counted', '盘点'),
    WRITE_OFF: word('Written off', '报损'),
  },
  categoryScope: { PERSONAL: word('User', '个人'), ORG: word('Organization', '组织') },
  metaScope: {
    GLOBAL: word('For everybody', '全局'),
    ORG: word('Of an organization', '组织'),
    USER: word('Of a user', '个人'),
  },
  objectType: {
    asset: things.asset.one,
    activity: things.activity.one,
    qrCode: things.qrCode.one,
    category: things.folder.one,
    org: things.organization.one,
  },
  /** Roles of organizations that every server has. */
  systemRole: {
    OWNER: word('Owner', '所有者'),
    ADMIN: word('Administrator', '管理员'),
    MEMBER: word('Member', '成员'),
    GUEST: word('Guest', '访客'),
  },
  fieldType: {
    TEXT: word('Text', '单行文本'),
    TEXTAREA: word('Long text', '多行文本'),
    NUMBER: word('Number', '数字'),
    DATE: word('Date', '日期'),
    DATETIME: word('Date and time', '日期时间'),
    BOOLEAN: word('Yes or no', '是否'),
    SELECT: word('Drop-down list', '下拉单选'),
    RADIO: word('Single choice', '单选'),
    MULTI_SELECT: word('Drop-down list, several', '下拉多选'),
    CHECKBOX: word('Several choices', '多选'),
    ATTACHMENT: word('Files', '附件'),
    PHOTO: word('Photos', '照片'),
    GEO: word('Place', '位置'),
    REF: word('Link to another thing', '引用'),
    COMPUTED: word('Computed', '公式'),
  },
  fieldTarget: {
    ASSET: things.asset.one,
    USER: things.user.one,
    LOCATION: things.location.one,
    ACTIVITY: things.activity.one,
  },
  resultType: {
    NUMBER: word('Number', '数字'),
    TEXT: word('Text', '文本'),
    DATE: word('Date', '日期'),
    BOOLEAN: word('Yes or no', '是否'),
  },
  fileType: {
    avatar: word('Picture of a user', '头像'),
    album: things.album.one,
    asset: things.asset.one,
    qr_code: things.qrCode.one,
    activity: things.activity.one,
    org: things.organization.one,
    other: word('Other', '其他'),
  },
  fileUse: {
    PHOTO: things.photo.one,
    USER: things.user.one,
    ORG: things.organization.one,
    GROUP: things.group.one,
    ACTIVITY: things.activity.one,
    ASSET: things.asset.one,
    QR_CODE: things.qrCode.one,
    MESSAGE: things.message.one,
    PASS_TEMPLATE: things.passTemplate.one,
    META_VALUE: things.fieldValue.one,
    INVENTORY: things.stockTaking.one,
    MAINTENANCE: { en: 'Maintenance record', zh: '维护记录' },
    SUPPLY: things.supply.one,
    QR_DESIGN: things.codeDesign.one,
  },
  storage: { LOCAL: word('Disk of the server', '服务器磁盘'), OSS: word('Object storage', '对象存储') },
  shareType: { QR_CODE: things.qrCode.one, ALBUM_PHOTO: things.photo.one },
  agreementType: { SERVICE: word('Terms of service', '服务条款'), PRIVACY: word('Privacy policy', '隐私政策') },
  sendStatus: { RUNNING: word('Being sent', '发送中'), DONE: word('Sent', '已发送') },
  activityMessageState: {
    SCHEDULED: word('Scheduled', '待发送'),
    RUNNING: word('Being sent', '发送中'),
    DONE: word('Sent', '已发送'),
    CANCELLED: word('Not sent', '未发送'),
  },
  messageChannel: { APP: word('In the app', '应用内'), EMAIL: word('By e-mail', '邮件') },
  deliveryState: {
    QUEUED: word('Waiting', '等待发送'),
    SENT: word('Sent', '已发送'),
    FAILED: word('Failed', '发送失败'),
    SKIPPED: word('Left out', '未发送'),
  },
  deliveryReason: {
    NO_ADDRESS: word('No confirmed e-mail address', '没有已验证的邮箱'),
    OPTED_OUT: word('Wants no such mail', '已退订此类邮件'),
    NO_MAIL_SERVER: word('This server has no mail server', '服务器未配置邮件服务'),
    BUDGET: word('Too many mails today', '今日邮件额度已用完'),
    SUPPRESSED: word('The address has refused mail before', '该邮箱此前多次拒收'),
    TOO_MANY: word('The address had enough invitations that day', '该邮箱当天收到的邀请已达上限'),
    ENDED: word('It ended before it was sent', '发送前已结束'),
  },
  audience: {
    USERS: word('Users', '指定用户'),
    ORG: word('Organization', '组织'),
    ALL: word('Everyone', '所有人'),
  },
  messageReportStatus: {
    OPEN: word('Open', '待处理'),
    REMOVED: word('Removed', '已移除'),
    DISMISSED: word('Left', '已保留'),
  },
  messageType: {
    TEXT: word('Text', '文本'),
    IMAGE: word('Picture', '图片'),
    FILE: things.file.one,
    VOICE: things.voiceMessage.one,
    VIDEO: word('Video', '视频'),
    LOCATION: word('Place', '位置'),
    CARD: things.contactCard.one,
    QR_CODE: things.qrCode.one,
    ACTIVITY: things.activity.one,
    SYSTEM: word('Notice', '系统提示'),
  },
  userStatus: {
    ACTIVE: word('Active', '正常'),
    DISABLED: word('Disabled', '已停用'),
    DELETED: word('Deleted', '已注销'),
  },
  orgStatus: { ACTIVE: word('Active', '正常'), DISABLED: word('Disabled', '已停用') },
  orgVisibility: { PUBLIC: word('Public', '公开'), INTERNAL: word('Internal', '内部') },
  joinPolicy: {
    FREE: word('Anyone may join', '自由加入'),
    APPROVAL: word('On request', '需审批'),
    INVITE: word('By invitation', '仅限邀请'),
  },
  apiKeyStatus: { ACTIVE: word('Valid', '有效'), ENDED: word('Ended', '已失效') },
  deliveryStatus: {
    PENDING: word('Waiting', '等待中'),
    DELIVERED: word('Delivered', '已送达'),
    FAILED: word('Failed', '失败'),
  },
  webhookReason: {
    OWNER: word('by hand', '手动停用'),
    GONE: word('the receiver is gone', '接收方已停用'),
    FAILING: word('no success for three days', '连续三天失败'),
    QUEUE_FULL: word('too many waiting', '等待过多'),
  },
  sessionStatus: {
    ACTIVE: word('Active', '有效'),
    EXPIRED: word('Expired', '已过期'),
    REVOKED: word('Ended', '已结束'),
  },
  linkStatus: { ACTIVE: word('Linked', '已关联'), PENDING: word('Waits for consent', '待对方同意') },
  permissionDomain: {
    PLATFORM: word('Administration', '平台管理'),
    APP: word('Personal', '个人内容'),
    ORG: word('Organizations', '组织'),
  },
  identity: {
    bound: word('With password, phone or e-mail', '已设密码、手机或邮箱'),
    unbound: word('Without password, phone and e-mail', '未设密码、手机和邮箱'),
    device_user: word('Known by a device only', '仅有设备'),
  },
  rights: { ADMIN: word('Administrators', '管理员'), USER: word('Other users', '普通用户') },
  provider: {
    PHONE: word('Phone', '手机号'),
    EMAIL: word('E-mail', '邮箱'),
    DEVICE: word('Device', '设备'),
    OIDC: word('Provider', '身份提供方'),
  },
  roleMode: {
    ADD: word('Give and raise roles', '只授予和提升角色'),
    SYNC: word('Also lower and end them', '同时降低和收回角色'),
  },
  providerLogout: {
    NONE: word('Only here', '仅在本站退出'),
    PROVIDER: word('Here and at the provider', '同时退出身份提供方'),
  },
  loginStatus: { success: word('Succeeded', '成功'), failed: word('Failed', '失败') },
  language: { en: word('English', '英文'), zh: word('Chinese', '中文') },
  wordKind: { ADJECTIVE: word('Adjective', '形容词'), NOUN: word('Noun', '名词') },
} as const satisfies Record<string, Record<string, Localized>>

export type EnumName = keyof typeof enums

/** The word for a value; the value itself if it is newer than this web application, and an empty string for null. */
export function wordOf(name: EnumName, value: string | null | undefined, locale = currentLocale()): string {
  if (value === null || value === undefined) return ''
  return (enums[name] as Readonly<Record<string, Localized>>)[value]?.[locale] ?? value
}

/** `const status = useEnum('passStatus'); status('REVOKED')` */
export function useEnum(name: EnumName): (value: string | null | undefined) => string {
  const locale = useLocale()
  return (value) => wordOf(name, value, locale)
}

/** All values with their words, for inputs. */
export function useChoices(name: EnumName): { id: string; name: string }[] {
  const locale = useLocale()
  return Object.keys(enums[name]).map((id) => ({ id, name: wordOf(name, id, locale) }))
}
