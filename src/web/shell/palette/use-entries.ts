/** The entries that the command palette offers for a text: those of this browser, then those that the server has found. */

import { useMemo } from 'react'

import { texts, useLocale, useTexts } from '../../i18n/words.ts'
import { useSession } from '../../session/session.ts'
import { type Entry, type Group, GROUPS, isLongEnough, matching } from './entry.ts'
import { addressed, numbered } from './go-to.ts'
import { kindsOf, type Means, people } from './search.ts'
import { type Tasks, useCommands } from './use-commands.ts'
import { type Found, useSearch } from './use-search.ts'

const words = texts({
  en: { changeTarget: 'Change target', openContact: 'Open contact', notes: 'Notes to myself' },
  zh: { changeTarget: '修改目标', openContact: '打开联系人', notes: '给自己的笔记' },
})

/** Local entries of a group that are shown for a text. */
const MOST = 8
/** Found without the server. */
export const LOCAL: ReadonlySet<Group> = new Set<Group>(['recent', 'actions', 'pages', 'orgs'])

export interface Wanted extends Tasks, Pick<Means, 'changeTarget'> {
  readonly isComposing: boolean
  readonly isForPeople: boolean
}

/** The entries for the text in their order. */
export function useEntries(
  text: string,
  { isComposing, isForPeople, changeTarget, ...tasks }: Wanted,
): { entries: readonly Entry[]; found: Found } {
  const t = useTexts(words)
  const locale = useLocale()
  const session = useSession()
  const commands = useCommands(tasks)
  const kinds = useMemo(() => {
    const means = { changeTarget, words: { changeTarget: t.changeTarget, openContact: t.openContact, notes: t.notes } }
    if (!isForPeople) return kindsOf(session, means)
    return people(session, means).filter((kind) => kind !== undefined)
  }, [session, t, changeTarget, isForPeople])
  const isSearched = isForPeople || isLongEnough(text)
  const found = useSearch(isSearched && !isComposing ? text : undefined, kinds)
  const local = isForPeople
    ? []
    : text === ''
      ? commands.filter(({ group }) => group !== 'orgs')
      : [...addressed(text), ...limited(matching(commands, text)), ...numbered(text, locale)]
  return { entries: merged(local, found.entries), found }
}

/** At most so many of each group. */
const limited = (entries: readonly Entry[]): Entry[] =>
  entries.filter(({ group }, at) => entries.slice(0, at).filter((before) => before.group === group).length < MOST)

/** In the order of the groups, each thing and each person once. */
function merged(local: readonly Entry[], found: readonly Entry[]): readonly Entry[] {
  const seconds = new Map(found.map(({ to, second }) => [to, second]))
  const opened = new Set(local.map(({ to }) => to))
  const users = new Set(found.filter(({ group }) => group === 'people').map(({ id }) => id))
  const ids = new Set<string>()
  const all = [
    ...local.map((entry) => {
      const second = entry.group === 'recent' ? seconds.get(entry.to) : undefined
      return second === undefined ? entry : { ...entry, second }
    }),
    ...found.filter(({ to, person }) => !opened.has(to) && !users.has(`people-${person}`)),
  ].filter(({ id }) => !ids.has(id) && ids.add(id))
  return all.toSorted((a, b) => GROUPS.indexOf(a.group) - GROUPS.indexOf(b.group))
}
