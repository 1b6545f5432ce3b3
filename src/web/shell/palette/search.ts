/** The searches of the command palette on the server: those of the lists, with their rights. */

import {
  Chat,
  CorporateFare,
  Event,
  Groups,
  Inventory2,
  Person,
  PersonOutlined,
  QrCode2,
  Settings,
} from '@mui/icons-material'
import type { QueryClient } from '@tanstack/react-query'

import { callWith } from '../../api/client.ts'
import type { ItemOf, PagedId } from '../../api/pages.ts'
import type { DataOf, OperationId, QrCode } from '../../api/types.ts'
import { timeIn } from '../../i18n/format.ts'
import { may, ownerQuery, type Session } from '../../session/session.ts'
import type { Entry, Group } from './entry.ts'
import { matching } from './entry.ts'

/** Rows of each kind. */
const ROWS = 5

export interface Asked {
  readonly text: string
  readonly signal: AbortSignal
  readonly client: QueryClient
}

/** A kind of things that is searched with one request. */
export interface Kind {
  readonly group: Group
  readonly find: (asked: Asked) => Promise<readonly Entry[]>
}

/** Actions of entries besides opening a page, and their words. */
export interface Means {
  readonly changeTarget: (code: QrCode) => void
  readonly words: { readonly changeTarget: string; readonly openContact: string; readonly notes: string }
}

/** Searches a list by its keyword. Undefined if the user may not read it. */
function list<Id extends PagedId>(
  id: Id,
  group: Group,
  entry: (row: ItemOf<Id>, text: string) => Omit<Entry, 'id' | 'group'> & { readonly id: number },
  more: { readonly params?: object; readonly query?: (text: string) => object } = {},
): Kind | undefined {
  if (!may(id)) return undefined
  return {
    group,
    async find({ text, signal }) {
      const keyword = text === '' ? {} : { keyword: text }
      const input = {
        ...(more.params && { params: more.params }),
        query: { ...keyword, size: ROWS, ...more.query?.(text) },
      }
      const { items } = (await callWith(id, input as object, { signal })) as { items: ItemOf<Id>[] }
      return items.map((row) => {
        const made = entry(row, text)
        return { ...made, group: made.isExact ? 'best' : group, id: `${group}-${made.id}` }
      })
    },
  }
}

const same = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/** The content of a code, typed with or without its scheme. */
const isContent = ({ content }: QrCode, text: string): boolean =>
  same(content, text) || same(content.replace(/^https?:\/\//i, ''), text.replace(/^https?:\/\//i, ''))

const isDefined = <T>(value: T | undefined): value is T => value !== undefined

export function kindsOf(session: Session, means: Means): readonly Kind[] {
  return [
    codes(means),
    list('assets.list', 'assets', assetEntry, {
      // The number that was typed must be among the few rows that are read.
      query: (text) => ({ ...ownerQuery(), sort: /\d/.test(text) ? 'assetNo' : '-createdAt' }),
    }),
    list(
      'activities.list',
      'activities',
      ({ id, name, startTime, timeZone }) => ({
        id,
        icon: Event,
        label: name,
        hint: timeIn(startTime, timeZone),
        to: `/activities/${id}`,
      }),
      { query: ownerQuery },
    ),
    ...people(session, means),
    ...(session.platform.size === 0 ? [] : everything()),
  ].filter(isDefined)
}

const codes = ({ changeTarget, words }: Means): Kind | undefined =>
  list(
    'qrCodes.list',
    'codes',
    (code, text) => ({
      id: code.id,
      icon: QrCode2,
      label: code.name,
      hint: code.content,
      to: `/codes/${code.id}`,
      isExact: isContent(code, text),
      ...(may('qrCodes.update') && { second: { label: words.changeTarget, run: () => changeTarget(code) } }),
    }),
    { query: ownerQuery },
  )

const assetEntry = ({ id, name, assetNo }: DataOf<'assets.list'>['items'][number], text: string) => ({
  id,
  icon: Inventory2,
  label: name,
  hint: assetNo,
  to: `/assets/${id}`,
  isExact: same(assetNo, text),
})

/** Contacts, members of the workspace and conversations. Choosing a person opens the conversation. */
export function people({ user, workspace }: Session, { words }: Pick<Means, 'words'>): readonly (Kind | undefined)[] {
  const chat = (userId: number) => `/chats/with/${userId}`
  const contacts = list(
    'contacts.list',
    'people',
    ({ id, userId, remark, nickname }) => ({
      id: userId,
      icon: Person,
      label: remark || nickname,
      ...(remark && { hint: nickname }),
      to: may('messages.send') ? chat(userId) : `/contacts/${id}`,
      second: { label: words.openContact, run: `/contacts/${id}` },
    }),
    { query: () => ({ blocked: false }) },
  )
  const members =
    workspace !== null && may('messages.send')
      ? list(
          'orgs.members',
          'people',
          ({ userId, nickname, roleName }) => ({
            id: userId,
            icon: PersonOutlined,
            label: nickname,
            hint: [workspace.name, roleName].filter(Boolean).join(' · '),
            to: chat(userId),
          }),
          { params: { orgId: workspace.id } },
        )
      : undefined
  const conversations = list('conversations.list', 'chats', ({ id, title, peer, isNotes }) => ({
    id,
    icon: peer === null ? Groups : Chat,
    label: isNotes ? words.notes : title,
    to: `/chats/${id}`,
    ...(peer !== null && { person: peer.userId }),
  }))
  const others = (kind: Kind | undefined): Kind | undefined =>
    kind && { ...kind, find: async (asked) => (await kind.find(asked)).filter(({ id }) => id !== `people-${user.id}`) }
  return [contacts, others(members), conversations]
}

/** For administrators: users and organizations of the server, and its settings. */
const everything = (): readonly (Kind | undefined)[] => [
  list('admin.users.list', 'users', ({ id, nickname, username }) => ({
    id,
    icon: Person,
    label: nickname || username || String(id),
    ...(username && { hint: username }),
    to: `/admin/users/${id}/show`,
  })),
  list('admin.orgs.list', 'allOrgs', ({ id, name, code }) => ({
    id,
    icon: CorporateFare,
    label: name,
    hint: code,
    to: `/admin/orgs/${id}/show`,
  })),
  may('admin.settings.list') ? settings : undefined,
]

const SETTINGS = 'admin.settings.list' satisfies OperationId

/** All settings are read once, with the key of `useCall`. */
const settings: Kind = {
  group: 'settings',
  async find({ text, client }) {
    const { items } = await client.fetchQuery({
      queryKey: [...SETTINGS.split('.'), {}],
      queryFn: async ({ signal }) => (await callWith(SETTINGS, {}, { signal })) as DataOf<typeof SETTINGS>,
      staleTime: 300_000,
    })
    const entries = items
      .filter(({ readOnly }) => !readOnly)
      .map(({ key, label }) => ({
        id: `settings-${key.replaceAll('.', '-')}`,
        group: 'settings' as const,
        icon: Settings,
        label,
        hint: key,
        words: key,
        to: `/admin/settings?keyword=${encodeURIComponent(key)}`,
      }))
    return matching(entries, text).slice(0, ROWS)
  },
}
