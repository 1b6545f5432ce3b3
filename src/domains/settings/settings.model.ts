/**
 * The business settings: the schema of each value, its default until an administrator changes it, and its texts for the console.
 * `docs/settings.md` is generated from this table.
 */

import { type Static, Type } from '@sinclair/typebox'

import { Enum } from '#http/schema.ts'
import { timeZone } from '#lib/days.ts'
import { MEDIA_TYPES } from '#lib/file-type.ts'
import { parseName } from '#lib/host-name.ts'

import { budgets } from './budgets.model.ts'
import { flag, integer, MIB, protection, setting, size } from './kinds.model.ts'
import { people } from './people.model.ts'
import { programs } from './programs.model.ts'
import { protections } from './protections.model.ts'

/** The largest value of `upload.maxBytes`. */
export const LARGEST_UPLOAD = 1024 * MIB

/** Of text without braces and control characters, and placeholders. `{seq:10}` takes 2 characters more than its pattern. */
const PART = String.raw`(?:[^{}\u0000-\u001f\u007f-\u009f\u2028\u2029]|\{yyyy\}|\{mm\}|\{dd\})*`
const NUMBER_PATTERN = String.raw`^${PART}\{seq(?::(?:[1-9]|10))?\}${PART}$`

export const definitions = {
  'server.language': setting(
    Enum(['en', 'zh']),
    'en',
    [
      'Language',
      'Language of pages and mails for people whose browser asks for neither English nor Chinese: `en` or `zh`.',
    ],
    ['语言', '浏览器既不要求英文也不要求中文时，页面和邮件所用的语言：`en` 或 `zh`。'],
  ),
  'registration.enabled': setting(
    Type.Boolean(),
    true,
    ['Registration', 'Whether users can register without an administrator.'],
    ['开放注册', '用户是否无需管理员即可注册。'],
  ),
  'webhooks.enabled': setting(
    Type.Boolean(),
    true,
    ['Webhooks', 'Whether changes are sent to other programs. If not, no events are written.'],
    ['Webhook 推送', '是否向其他程序推送变更。停用后不再记录和发送事件。'],
  ),
  'quota.storage': setting(
    size,
    1024 * MIB,
    ['Storage', 'Space that the files of each user and each organization may take; 0 = unlimited.'],
    ['存储空间', '每个用户和每个组织的文件可占用的空间；0 表示不限。'],
  ),
  'quota.files': setting(
    size,
    100_000,
    ['Files', 'Files that each user and each organization may have; 0 = unlimited.'],
    ['文件数', '每个用户和每个组织可拥有的文件数；0 表示不限。'],
  ),
  'quota.qrCodes': setting(
    size,
    10_000,
    ['QR codes', 'QR codes that each user and each organization may have; 0 = unlimited.'],
    ['二维码数', '每个用户和每个组织可拥有的二维码数；0 表示不限。'],
  ),
  'quota.slugs': setting(
    size,
    200,
    ['Slugs', 'Slugs that each user and each organization may choose; deleted ones count; 0 = unlimited.'],
    ['自定义短链数', '每个用户和每个组织可自行选定的短链数，已删除的也计入；0 表示不限。'],
  ),
  'quota.scanRecords': setting(
    size,
    50_000,
    ['Scan records', 'Scan records that each user may have: the oldest are deleted; 0 = unlimited.'],
    ['扫码记录数', '每个用户可保留的扫码记录数，超出时删除最早的；0 表示不限。'],
  ),
  'quota.organizations': setting(
    size,
    20,
    ['Organizations', 'Organizations that a user may own; 0 = unlimited.'],
    ['组织数', '每个用户可拥有的组织数；0 表示不限。'],
  ),
  'quota.assets': setting(
    size,
    100_000,
    ['Assets', 'Assets that each user and each organization may have; 0 = unlimited.'],
    ['资产数', '每个用户和每个组织可拥有的资产数；0 表示不限。'],
  ),
  'quota.activities': setting(
    size,
    10_000,
    ['Activities', 'Activities that each user and each organization may have; 0 = unlimited.'],
    ['活动数', '每个用户和每个组织可拥有的活动数；0 表示不限。'],
  ),
  'assets.numberPattern': setting(
    Type.String({ pattern: NUMBER_PATTERN, maxLength: 60 }),
    'A-{yyyy}-{seq:5}',
    [
      'Asset numbers',
      'Pattern of generated asset numbers: text with `{yyyy}`, `{mm}`, `{dd}` and exactly one `{seq}` or `{seq:N}` (N digits, 1 to 10).',
    ],
    [
      '资产编号',
      '自动生成的资产编号格式：文本，可含 `{yyyy}`、`{mm}`、`{dd}`，且须有一个 `{seq}` 或 `{seq:N}`（N 位数字，1 到 10）。',
    ],
  ),
  'chat.textMaxLength': setting(
    integer(1, 20_000),
    5000,
    ['Longest message', 'Longest text message, in characters.'],
    ['消息长度', '文本消息的最大字符数。'],
  ),
  'chat.mediaMaxBytes': setting(
    integer(1, LARGEST_UPLOAD),
    20 * MIB,
    ['Largest file of a message', 'Largest file of a message. “Largest upload” limits it too.'],
    ['消息文件大小', '消息所附文件的最大大小，同时受“上传大小”限制。'],
  ),
  'chat.maxContacts': setting(
    integer(1, 10_000),
    500,
    ['Contacts', 'Contacts that a user can have.'],
    ['联系人数', '每个用户可拥有的联系人数。'],
  ),
  'chat.requestsPerDay': setting(
    integer(0, 1000),
    20,
    ['Contact requests', 'Contact requests that a user can send a day; 0 = unlimited.'],
    ['联系人申请数', '每个用户每天可发送的联系人申请数；0 表示不限。'],
  ),
  'chat.requestExpiryDays': setting(
    integer(1, 365),
    30,
    ['Expiry of contact requests', 'Days after which a contact request expires.'],
    ['联系人申请有效期', '联系人申请在多少天后失效。'],
  ),
  'chat.recallSeconds': setting(
    integer(0, 86_400),
    120,
    ['Recall of messages', 'Seconds in which the sender can recall a message.'],
    ['消息撤回时限', '发送后多少秒内可以撤回消息。'],
  ),
  'chat.editSeconds': setting(
    integer(0, 315_360_000),
    86_400,
    ['Editing of messages', 'Seconds in which the sender can edit a text; 0 = never.'],
    ['消息编辑时限', '发送后多少秒内可以编辑文字消息；0 表示不可编辑。'],
  ),
  'chat.messagesPerMinute': setting(
    integer(0, 6000),
    60,
    ['Messages a minute', 'Messages that a user can send a minute; 0 = unlimited.'],
    ['每分钟消息数', '每个用户每分钟可发送的消息数；0 表示不限。'],
  ),
  'chat.draftMaxLength': setting(
    integer(0, 10_000),
    1000,
    ['Longest draft', 'Longest draft of clients that send no version of it, in characters; 0 = no drafts at all.'],
    ['草稿长度', '客户端未提供版本时草稿的最大字符数；0 = 不保存草稿。'],
  ),
  'chat.retentionDays': setting(
    integer(0, 3650),
    0,
    ['Retention of messages', 'Messages are deleted for everybody after so many days; 0 = never.'],
    ['消息保留天数', '消息在多少天后对所有人删除；0 表示永不删除。'],
  ),
  'links.direct': setting(
    Enum(['PROVED', 'ALL', 'NONE']),
    'PROVED',
    [
      'Links without a warning',
      'Whose changeable QR codes lead straight to their targets; those of others first show where they lead. `PROVED`: of users with a proved e-mail or phone, of users whom an administrator created, and of administrators; an organization counts as its owner. `ALL`, `NONE`. If the server can send neither mail nor SMS, `PROVED` means everybody.',
    ],
    [
      '无需提示的链接',
      '谁的可变二维码可直接跳转到目标，其他人的二维码会先提示目标地址。`PROVED`：已验证邮箱或手机的用户、由管理员创建的用户以及管理员，组织以其所有者为准。`ALL` 表示所有人，`NONE` 表示没有人。如果服务器既不能发送邮件也不能发送短信，`PROVED` 即所有人。',
    ],
  ),
  'links.blockedHosts': setting(
    Type.Array(Type.String({ maxLength: 253 }), { maxItems: 1000, uniqueItems: true }),
    [],
    [
      'Blocked hosts',
      'Hosts, each with its sub-domains, to which no QR code may lead. Codes that already lead there show a page instead.',
    ],
    ['屏蔽的主机', '二维码不得跳转到的主机（包括其子域名）。已指向这些主机的二维码改为显示提示页面。'],
    (value) => {
      const wrong = (value as string[]).find((host) => parseName(host)?.startsWith('*') !== false)
      return wrong === undefined
        ? undefined
        : {
            en: `contains ${JSON.stringify(wrong)}, which is not a host such as example.com`,
            zh: `包含 ${JSON.stringify(wrong)}，它不是 example.com 这样的主机名`,
          }
    },
  ),
  'links.abuseContact': setting(
    Type.String({ maxLength: 200 }),
    '',
    [
      'Contact about abuse',
      'Where people can report a QR code that leads to something harmful: an e-mail address or the address of a page, shown by `/q/{slug}/info`; empty = none.',
    ],
    ['滥用举报', '用户举报有害二维码的途径：邮箱或网页地址，显示在 `/q/{slug}/info` 页面；留空表示不显示。'],
    (value) =>
      value === '' || /^(?:https?:\/\/[^\s/?#]\S*|[^\s@:/]+@[^\s@]+\.[^\s@]+)$/i.test(String(value))
        ? undefined
        : {
            en: 'is neither an e-mail address nor an address of a page that begins with https://',
            zh: '既不是邮箱地址，也不是以 https:// 开头的网页地址',
          },
  ),
  'scans.details': setting(
    Type.Boolean(),
    true,
    [
      'Details of scans',
      'Whether scans of short links are broken down by device, language, country and referrer, and visitors are counted.',
    ],
    ['扫码明细', '是否按设备、语言、国家和来源统计短链接的扫码，并统计访客数。'],
  ),
  'scans.retentionDays': setting(
    Type.Union([Type.Literal(0), integer(30, 3650)]),
    0,
    [
      'Retention of scan statistics',
      'Statistics of scans are deleted after so many days, 30 at least; 0 = never. The number of scans of each code stays.',
    ],
    ['扫码统计保留天数', '扫码统计在多少天后删除，至少 30 天；0 表示永不删除。每个二维码的扫码总数保留不变。'],
  ),
  ...budgets,
  ...people,
  'guests.enabled': setting(
    Type.Boolean(),
    true,
    ['Guests', 'Whether activities can let people register without an account. Needs a mail server.'],
    ['来宾报名', '活动是否可允许没有账号的人报名。需要邮件服务器。'],
  ),
  'guests.retentionDays': setting(
    integer(1, 365),
    30,
    [
      'Data of guests',
      'Days after the end of an activity for which the data of its guests is kept, unless the activity names its own.',
    ],
    ['来宾数据保留天数', '活动结束后来宾数据的保留天数，活动自行设置的除外。'],
  ),
  'activities.noticeDelaySeconds': setting(
    integer(0, 3600),
    120,
    [
      'Wait before notices',
      'Seconds from the last change of the date or place of an activity until participants are notified.',
    ],
    ['变更通知等待时间', '活动的时间或地点最后一次变更后，到通知参与者之前的秒数。'],
  ),
  'mail.invitations': setting(
    Enum(['OFF', 'ORGANIZATIONS', 'ALL']),
    'ORGANIZATIONS',
    [
      'Invitations by mail',
      'Which activities may invite strangers by mail: `OFF` none, `ORGANIZATIONS` those of organizations, `ALL` personal ones too.',
    ],
    ['邮件邀请', '哪些活动可通过邮件邀请陌生人：`OFF` 均不可，`ORGANIZATIONS` 仅组织的活动，`ALL` 个人活动也可。'],
  ),
  'mail.assetReminders': setting(
    Type.Boolean(),
    false,
    [
      'Mails about assets',
      'Whether users get mails about assets: a digest a day of everything that is due, and each notification at once if they choose so.',
    ],
    ['资产邮件', '是否向用户发送资产邮件：每天一封待办摘要；用户也可选择每条通知立即发送。'],
  ),
  'upload.maxBytes': setting(
    integer(1, LARGEST_UPLOAD),
    20 * MIB,
    ['Largest upload', 'The largest file that users can upload.'],
    ['上传大小', '用户可上传的最大文件。'],
  ),
  'upload.types': setting(
    Type.Array(Enum(MEDIA_TYPES), { maxItems: 100, uniqueItems: true }),
    [
      'image/jpeg',
      'image/png',
      'image/gif',
      'image/webp',
      'application/pdf',
      'application/zip',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'text/csv',
      'text/plain',
      'audio/mpeg',
      'audio/mp4',
      'audio/webm',
      'audio/ogg',
      'video/mp4',
    ],
    [
      'Types of uploads',
      'Media types of files that users can upload, out of those that the server detects from the bytes. HEIC counts as JPEG.',
    ],
    ['上传类型', '用户可上传的文件媒体类型，须为服务器能从字节识别的类型。HEIC 视为 JPEG。'],
  ),
  'upload.heic': setting(
    Type.Boolean(),
    true,
    [
      'HEIC photos',
      'Whether photos of phones in HEIC are accepted and converted to JPEG. Decoding takes up to 470 MB for a moment.',
    ],
    ['HEIC 照片', '是否接受手机拍摄的 HEIC 照片并转换为 JPEG。解码时会短暂占用最多 470 MB 内存。'],
  ),
  'app.maxPackageBytes': setting(
    integer(1, 4096 * MIB),
    500 * MIB,
    ['Largest app package', 'The largest package of an app that administrators can publish.'],
    ['应用安装包大小', '管理员可发布的最大应用安装包。'],
  ),
  // Spec §2.7. Each publication writes the seven settings of the latest version; the flags are 0 or 1.
  'app.latest_version_code': setting(
    integer(0, 2_147_483_647),
    0,
    ['Latest app version, code', 'Version code of the latest published app version.'],
    ['最新应用版本号', '最新发布的应用版本的版本号。'],
  ),
  'app.latest_version_name': setting(
    Type.String({ maxLength: 400 }),
    '',
    ['Latest app version, name', 'Version name of the latest published app version.'],
    ['最新应用版本名称', '最新发布的应用版本的名称。'],
  ),
  'app.download_url': setting(
    Type.String({ maxLength: 2000 }),
    '',
    ['App download', 'Address of the latest published app version.'],
    ['应用下载地址', '最新发布的应用版本的下载地址。'],
  ),
  'app.file_size': setting(
    size,
    0,
    ['App size', 'Size of the latest published app version.'],
    ['应用大小', '最新发布的应用版本的大小。'],
  ),
  'app.release_notes': setting(
    Type.String({ maxLength: 100_000 }),
    '',
    ['Release notes', 'Release notes of the latest published app version, in Markdown.'],
    ['更新说明', '最新发布的应用版本的更新说明（Markdown）。'],
  ),
  'app.is_major': setting(
    flag,
    0,
    ['Major update', 'Whether the latest published app version is a major update: 1 = yes.'],
    ['重大更新', '最新发布的应用版本是否为重大更新：1 表示是。'],
  ),
  'app.force_update': setting(
    flag,
    0,
    ['Forced update', 'Whether apps must update to the latest published version: 1 = yes.'],
    ['强制更新', '应用是否必须更新到最新发布的版本：1 表示是。'],
  ),
  ...protections,
  ...programs,
  'http.refuseUnknownParameters': setting(
    Type.Boolean(),
    false,
    [
      'Refuse unknown parameters',
      'Whether requests with query parameters that the operation does not know are refused with 400, to find mistakes of clients. Otherwise ' +
        'such parameters are ignored and named in the header `X-Ignored-Parameters`. Pages for people always ignore them.',
    ],
    [
      '拒绝未知参数',
      '请求含有接口不支持的查询参数时是否以 400 拒绝，便于发现客户端错误。否则忽略这些参数，并在响应头 `X-Ignored-Parameters` 中列出。面向用户的页面始终忽略。',
    ],
  ),
  'backup.directory': protection(
    Type.String({ maxLength: 1000 }),
    '',
    [
      'Folder of backups',
      'An existing folder, best on another disk, into which the server writes backups from now on; empty = `backups/` in the data directory. Backups that exist already stay where they are.',
    ],
    [
      '备份文件夹',
      '服务器今后写入备份的文件夹，须已存在，最好在另一块磁盘上；留空表示数据目录中的 `backups/`。已有的备份保留在原处。',
    ],
  ),
  'backup.schedule': protection(
    Enum(['OFF', 'DAILY', 'WEEKLY']),
    'OFF',
    [
      'Backups by schedule',
      'How often the server makes and verifies a backup: never, every day or every Sunday. Copy the backups to another machine.',
    ],
    ['定时备份', '服务器自动备份并校验的频率：从不、每天或每周日。请将备份复制到其他机器。'],
  ),
  'backup.hour': protection(
    integer(0, 23),
    3,
    ['Hour of backups', 'Hour of the day at which a backup by schedule begins.'],
    ['备份时刻', '定时备份在几点开始（小时）。'],
  ),
  'backup.timeZone': protection(
    Type.String({ maxLength: 64 }),
    '',
    [
      'Time zone of backups',
      'Time zone of the hour of backups, such as `Asia/Shanghai` or `+08:00`; empty = that of the server.',
    ],
    ['备份时区', '备份时刻所用的时区，例如 `Asia/Shanghai` 或 `+08:00`；留空表示服务器时区。'],
    (value) =>
      value === '' || timeZone(String(value)) !== undefined
        ? undefined
        : {
            en: 'is not a time zone: use a name such as Asia/Shanghai',
            zh: '时区无效，请使用 Asia/Shanghai 这样的名称',
          },
  ),
  'backup.keep': protection(
    integer(1, 365),
    7,
    [
      'Backups to keep',
      'Good backups by schedule that are kept. Older ones are deleted when a new one has been verified; backups that somebody made are not.',
    ],
    ['保留备份数', '保留的定时备份数量。新备份校验通过后删除更早的定时备份；手动创建的备份不会删除。'],
  ),
  'update.check': setting(
    Type.Boolean(),
    false,
    [
      'Look for newer versions',
      'Whether the server asks `TESSERA_UPDATE_URL` once a day which version is the newest. The request says nothing about this server, and nothing is downloaded or installed.',
    ],
    [
      '检查新版本',
      '服务器是否每天向 `TESSERA_UPDATE_URL` 查询一次最新版本。请求不含此服务器的任何信息，也不会下载或安装任何内容。',
    ],
  ),
  'log.retentionDays': protection(
    // A lower number would be a way to get rid of fresh rows.
    Type.Union([Type.Literal(0), integer(30, 36_500)]),
    0,
    [
      'Retention of the operation log',
      'Rows of the operation log are deleted after so many days, 30 at least; 0 = never.',
    ],
    ['操作日志保留天数', '操作日志在多少天后删除，至少 30 天；0 表示永不删除。'],
  ),
} as const

type Definitions = typeof definitions
export type SettingKey = keyof Definitions
export type SettingValue<K extends SettingKey> = Static<Definitions[K]['schema']>
export type BudgetKey = Extract<SettingKey, `budget.${string}`>
export type Settings = { readonly [K in SettingKey]: SettingValue<K> }

/** Settings that only the publication of an app version changes. */
export const READ_ONLY: ReadonlySet<SettingKey> = new Set<SettingKey>([
  'app.latest_version_code',
  'app.latest_version_name',
  'app.download_url',
  'app.file_size',
  'app.release_notes',
  'app.is_major',
  'app.force_update',
])
