/** Names after "@" in texts. */

interface Named {
  readonly userId: number
  readonly nickname: string
}

const LETTER = /[\p{L}\p{N}\p{M}_]/u
/** Scripts without spaces between words: a name may be followed by the next word at once. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u

const startsWith = (text: string, name: string): boolean =>
  text.slice(0, name.length).localeCompare(name, undefined, { sensitivity: 'accent' }) === 0

/** Whether the name ends at the end of `name` in this text, and is not the beginning of a longer one. */
function endsThere(text: string, name: string): boolean {
  const [last = ''] = /.$/u.exec(name) ?? []
  const [next = ''] = /^./su.exec(text.slice(name.length)) ?? []
  return !LETTER.test(next) || UNSPACED.test(last) || UNSPACED.test(next)
}

/** Whether an "@" at this place begins a name: in "ann@example.org" it does not. */
const beginsName = (text: string, at: number): boolean => {
  const [before = ''] = /.$/su.exec(text.slice(0, at)) ?? []
  return !LETTER.test(before) || UNSPACED.test(before)
}

/** Stands for all members of a group. */
export const ALL = 0
/** Names of all members, which are understood in both languages. */
const NAMES_OF_ALL: readonly Named[] = ['all', '所有人'].map((nickname) => ({ userId: ALL, nickname }))

/** `mentions` and `mentionsAll` of a content; neither if the text mentions nobody. */
export function mentionsOf(
  text: string,
  members: readonly Named[],
  mayMentionAll: boolean,
  chosen?: ReadonlySet<number>,
): { mentions?: number[]; mentionsAll?: true } {
  const found = mentionsIn(text, mayMentionAll ? [...members, ...NAMES_OF_ALL] : members, chosen)
  const mentions = found.filter((id) => id !== ALL)
  return { ...(mentions.length > 0 && { mentions }), ...(found.includes(ALL) && { mentionsAll: true as const }) }
}

/** The beginning of a name that is being written at the caret, and the place of its "@". */
export function nameAtCaret(text: string, caret: number): { at: number; name: string } | undefined {
  const at = text.lastIndexOf('@', caret - 1)
  if (at < 0 || !beginsName(text, at)) return undefined
  const name = text.slice(at + 1, caret)
  return name.length <= LONGEST_NAME && !name.includes('\n') ? { at, name } : undefined
}
/** Characters after "@" for which names are offered. */
const LONGEST_NAME = 30

/**
 * The members whom a text mentions. Of several names that fit, the longest counts: "@Anna" is not Ann, and "@王小明" is not 王小. Members of the same
 * name are all meant, unless `chosen` has one of them.
 */
export function mentionsIn(text: string, members: readonly Named[], chosen: ReadonlySet<number> = new Set()): number[] {
  const found = new Set<number>()
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    if (!beginsName(text, at)) continue
    const rest = text.slice(at + 1)
    const fitting = members.filter(
      ({ nickname }) => nickname !== '' && startsWith(rest, nickname) && endsThere(rest, nickname),
    )
    const longest = Math.max(...fitting.map(({ nickname }) => nickname.length))
    const meant = fitting.filter(({ nickname }) => nickname.length === longest)
    const picked = meant.filter(({ userId }) => chosen.has(userId))
    for (const { userId } of picked.length > 0 ? picked : meant) found.add(userId)
  }
  return [...found]
}
