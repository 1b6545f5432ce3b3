/** The entries that the command palette finds without the server: recent things, actions and pages. */

import {
  AddBox,
  Article,
  Brightness4,
  Chat,
  ContactsOutlined,
  Event,
  FactCheck,
  Groups,
  Inventory2,
  Logout,
  Person,
  QrCode2,
  QrCodeScanner,
  Translate,
} from '@mui/icons-material'
import { useEffect, useState } from 'react'

import { useCall } from '../../api/hooks.ts'
import type { OperationId } from '../../api/types.ts'
import { rightsOf } from '../../areas/activities/rights.ts'
import { switchLocale } from '../../i18n/locale.ts'
import { things } from '../../i18n/things.ts'
import { texts, useLocale, useTexts } from '../../i18n/words.ts'
import { findRecent, type Recent, type RecentKind } from '../../session/recent.ts'
import { may, ownerQuery, useSession } from '../../session/session.ts'
import { useSections } from '../navigation.ts'
import { useThemeMode } from '../theme.ts'
import { useChooseWorkspace } from '../WorkspaceSwitch.tsx'
import type { Entry } from './entry.ts'
import { OTHER_PAGES } from './pages.ts'

const words = texts({
  en: {
    code: 'New code',
    asset: 'Add asset',
    activity: 'New activity',
    org: 'Create organization',
    scan: 'Scan a code',
    gate: (name: string) => `Open gate: ${name}`,
    write: 'Write to a person …',
    stockTaking: 'Start stock-taking',
    workspace: (name: string) => `Switch workspace: ${name}`,
    own: 'Personal',
    theme: 'Light or dark',
    language: '切换到中文',
    signOut: 'Sign out',
    administration: 'Administration',
  },
  zh: {
    code: '新建二维码',
    asset: '登记资产',
    activity: '新建活动',
    org: '创建组织',
    scan: '扫一扫',
    gate: (name: string) => `打开检票：${name}`,
    write: '给某人发消息……',
    stockTaking: '开始盘点',
    workspace: (name: string) => `切换工作区：${name}`,
    own: '个人',
    theme: '切换明暗主题',
    language: 'Switch to English',
    signOut: '退出登录',
    administration: '管理',
  },
})

const ICONS = {
  code: QrCode2,
  asset: Inventory2,
  activity: Event,
  organization: Groups,
  contact: ContactsOutlined,
  chat: Chat,
  stockTaking: FactCheck,
} as const satisfies Record<RecentKind, unknown>

export const THINGS = {
  code: things.qrCode,
  asset: things.asset,
  activity: things.activity,
  organization: things.organization,
  contact: things.contact,
  chat: things.chat,
  stockTaking: things.stockTaking,
} as const satisfies Record<RecentKind, unknown>

export interface Tasks {
  readonly writeToPerson: () => void
  readonly signOut: () => void
}

/** Everything; the palette shows those that match. */
export function useCommands(tasks: Tasks): readonly Entry[] {
  const actions = useActions(tasks)
  const pages = usePages()
  const { orgs } = useSession()
  const own = orgs.map(({ id, name }): Entry => ({
    id: `org-${id}`,
    group: 'orgs',
    icon: Groups,
    label: name,
    to: `/orgs/${id}`,
  }))
  return [...useRecents(), ...actions, ...pages, ...own]
}

function useRecents(): Entry[] {
  const locale = useLocale()
  const { user } = useSession()
  const [recent, setRecent] = useState<readonly Recent[]>([])
  useEffect(() => {
    let isShown = true
    void findRecent(user.id).then((found) => isShown && setRecent(found))
    return () => void (isShown = false)
  }, [user.id])
  return recent.map(({ kind, to, name }) => ({
    id: `recent-${to.replaceAll('/', '-')}`,
    group: 'recent',
    icon: ICONS[kind],
    label: name,
    hint: THINGS[kind].one[locale],
    to,
  }))
}

function useActions({ writeToPerson, signOut }: Tasks): Entry[] {
  const t = useTexts(words)
  const { orgs, workspace } = useSession()
  const [, toggleTheme] = useThemeMode()
  const chooseWorkspace = useChooseWorkspace()
  const gates = useGates()
  type Named = Omit<Entry, 'group' | 'label' | 'words'>
  /** Found by its words in both languages. */
  const action = (
    name: Exclude<keyof typeof t & keyof typeof words.zh, 'gate' | 'workspace'>,
    rest: Omit<Named, 'id'>,
  ) =>
    ({
      id: `action-${name}`,
      group: 'actions',
      label: t[name],
      words: `${words.en[name]} ${words.zh[name]}`,
      ...rest,
    }) as const
  const ifMay = (id: OperationId, entry: Entry): Entry[] => (may(id) ? [entry] : [])
  return [
    ...gates,
    ...ifMay('qrCodes.create', action('code', { icon: AddBox, to: '/codes/new' })),
    ...ifMay('assets.create', action('asset', { icon: AddBox, to: '/assets/new' })),
    ...ifMay('activities.create', action('activity', { icon: AddBox, to: '/activities/new' })),
    ...ifMay('scanRecords.create', action('scan', { icon: QrCodeScanner, to: '/scan' })),
    ...ifMay('messages.send', action('write', { icon: Chat, run: writeToPerson, staysOpen: true })),
    ...ifMay('inventories.create', action('stockTaking', { icon: FactCheck, to: '/assets/inventories?new' })),
    ...ifMay('orgs.create', action('org', { icon: AddBox, to: '/orgs/new' })),
    ...[null, ...orgs]
      .filter((org) => org?.id !== workspace?.id)
      .map((org) => ({
        id: `workspace-${org?.id ?? 'own'}`,
        group: 'actions' as const,
        icon: org === null ? Person : Groups,
        label: t.workspace(org?.name ?? t.own),
        words: words.en.workspace('') + words.zh.workspace(''),
        run: () => chooseWorkspace(org),
      })),
    action('theme', { icon: Brightness4, run: toggleTheme }),
    action('language', { icon: Translate, run: switchLocale }),
    action('signOut', { icon: Logout, run: signOut }),
  ]
}

/** The gates of activities that run today. */
function useGates(): Entry[] {
  const t = useTexts(words)
  const session = useSession()
  const [day] = useState(() => ({ from: new Date().setHours(0, 0, 0, 0), to: new Date().setHours(23, 59, 59, 999) }))
  const { data } = useCall(
    'activities.list',
    { query: { size: 5, status: 'ACTIVE', sort: 'startTime', ...day, ...ownerQuery() } },
    { enabled: may('activities.list') && may('passes.uploadRedemptions') },
  )
  return (data?.items ?? [])
    .filter((activity) => activity.hasPass && rightsOf(session, activity)('passes.uploadRedemptions'))
    .map(({ id, name }) => ({
      id: `gate-${id}`,
      group: 'actions',
      icon: QrCodeScanner,
      label: t.gate(name),
      words: words.en.gate('') + words.zh.gate(''),
      to: `/activities/${id}/gate`,
    }))
}

/** The pages of the menu, and those that have no entry there. */
function usePages(): Entry[] {
  const locale = useLocale()
  const t = useTexts(words)
  const pageOf = (to: string, label: Readonly<Record<'en' | 'zh', string>>, hint?: string): Entry => ({
    id: `page-${to.replaceAll(/\W/g, '-')}`,
    group: 'pages',
    icon: Article,
    label: label[locale],
    words: `${label.en} ${label.zh} ${to}`,
    to,
    ...(hint !== undefined && { hint }),
  })
  const own = useSections(false).flatMap(({ items }) =>
    items.map(({ to, label, icon }) => ({ ...pageOf(to, label), icon })),
  )
  const admin = useSections(true).flatMap(({ items }) =>
    items.map(({ to, label, icon }) => ({ ...pageOf(to, label, t.administration), icon })),
  )
  const others = OTHER_PAGES.filter(({ needs }) => needs === undefined || may(needs)).map(({ to, label }) =>
    pageOf(to, label),
  )
  return [...own, ...others, ...admin]
}
