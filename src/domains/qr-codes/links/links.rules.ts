/** Checks what a request changes of a link, and decides what a scan of it shows. */

import type { LinkRule } from '#db/schema/qr-links.ts'
import type { FieldProblem } from '#http/errors.ts'
import { isZoneName } from '#lib/days.ts'
import { matchingRule, type RuleVisitor } from '#lib/link-rules.ts'
import { readTarget, targetProblem, type TargetRules, webAddress } from '#lib/link-target.ts'

import { wrongTarget } from '../targets.errors.ts'
import type { LinkRuleInput, UpdateLink } from './links.model.ts'

const problem =
  (en: string, zh: string) =>
  (path: string): FieldProblem => ({ path, text: { en, zh } })

const inThePast = problem('is in the past', '已经过去')
const endsBeforeItBegins = problem('must be after from', '必须晚于 from')
const noCondition = problem(
  'has no condition: without one it would hold for every scan, so change the content of the code instead',
  '没有条件：没有条件的规则会匹配所有扫码，请直接修改二维码内容',
)
const needsZone = problem(
  'is required with hours and weekdays: an IANA name such as Europe/Berlin',
  '使用 hours 或 weekdays 时必填，须为 Europe/Berlin 这样的 IANA 时区名',
)
const wrongZone = problem('is not an IANA time zone such as Europe/Berlin', '不是 Europe/Berlin 这样的 IANA 时区名')
const unknownCountry = problem('contains a code that is not a country', '包含不是国家或地区的代码')
const noCountries = problem(
  'is not possible on this server: it has no file that says in which country an address is',
  '此服务器没有 IP 地址所属国家的数据文件，无法使用',
)

/** The columns of a link that decide where a scan leads. */
export interface Link {
  readonly forwardQuery: boolean
  readonly warn: boolean
  readonly rules: readonly LinkRule[]
  readonly rulesLeft: readonly (number | null)[]
  readonly fallbackUrl: string | null
  readonly expiresAt: number | null
  readonly maxScans: number | null
  readonly scansLeft: number | null
  readonly passwordHash: string | null
}

/** Of a code that has no row. */
export const PLAIN: Link = {
  forwardQuery: false,
  warn: false,
  rules: [],
  rulesLeft: [],
  fallbackUrl: null,
  expiresAt: null,
  maxScans: null,
  scansLeft: null,
  passwordHash: null,
}

/** Facts about the server that the check needs. */
export interface Facts {
  readonly now: number
  readonly targets: TargetRules
  readonly hasCountries: boolean
}

/** Every problem of the fields that the request changes. Values that are stored already stay, although they would be refused by now. */
export function linkProblems(link: Link, input: UpdateLink, facts: Facts): FieldProblem[] {
  const problems: FieldProblem[] = []
  const { expiresAt, fallbackUrl, rules } = input
  if (expiresAt != null && expiresAt <= facts.now && expiresAt !== link.expiresAt)
    problems.push(inThePast('body.expiresAt'))
  const isNewFallback = fallbackUrl != null && fallbackUrl !== link.fallbackUrl
  const wrong = isNewFallback ? targetProblem(fallbackUrl, facts.targets) : undefined
  if (wrong !== undefined) problems.push(wrongTarget('body.fallbackUrl', wrong))
  for (const [i, rule] of (rules ?? []).entries())
    if (!link.rules.some((stored) => Bun.deepEquals(stored, storedRule(rule))))
      problems.push(...ruleProblems(rule, `body.rules.${i}`, facts))
  return problems
}

const CONDITIONS = ['from', 'to', 'weekdays', 'hours', 'devices', 'languages', 'countries', 'firstScans'] as const

function ruleProblems(rule: LinkRuleInput, path: string, { targets, hasCountries }: Facts): FieldProblem[] {
  const { target, from, to, weekdays, hours, timeZone: zone, countries } = rule
  const problems: FieldProblem[] = []
  const wrong = targetProblem(target, targets)
  if (wrong !== undefined) problems.push(wrongTarget(`${path}.target`, wrong))
  if (CONDITIONS.every((name) => rule[name] == null)) problems.push(noCondition(path))
  if (from != null && to != null && from >= to) problems.push(endsBeforeItBegins(`${path}.to`))
  if (zone == null) {
    if (weekdays != null || hours != null) problems.push(needsZone(`${path}.timeZone`))
  } else if (!isZoneName(zone)) problems.push(wrongZone(`${path}.timeZone`))
  if (countries != null && !hasCountries) problems.push(noCountries(`${path}.countries`))
  else if (countries?.some((code) => !isCountry(code))) problems.push(unknownCountry(`${path}.countries`))
  return problems
}

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
/** Regions of the list other than countries. */
const NO_COUNTRIES: ReadonlySet<string> = new Set(['EU', 'EZ', 'UN', 'QO', 'XA', 'XB', 'ZZ'])
const isCountry = (code: string): boolean => regions.of(code) !== undefined && !NO_COUNTRIES.has(code)

/** The rule as it is stored: without the conditions that are null. */
const storedRule = ({ target, ...conditions }: LinkRuleInput): LinkRule =>
  Object.assign({ target }, Object.fromEntries(Object.entries(conditions).filter(([, value]) => value != null)))

export type LinkChange = { -readonly [K in keyof Link]?: Link[K] }

/**
 * The columns that differ. Scans are counted from when a limit was set: a limit that is sent again as it is goes on counting, also in a rule that
 * has another place now. `passwordHash`: of the password in the request.
 */
export function linkChangeOf(link: Link, input: UpdateLink, passwordHash: string | undefined): LinkChange {
  const wanted: LinkChange = {}
  if (input.forwardQuery !== undefined) wanted.forwardQuery = input.forwardQuery ?? false
  if (input.warn !== undefined) wanted.warn = input.warn ?? false
  if (input.fallbackUrl !== undefined) wanted.fallbackUrl = input.fallbackUrl
  if (input.expiresAt !== undefined) wanted.expiresAt = input.expiresAt
  if (input.password !== undefined) wanted.passwordHash = passwordHash ?? null
  if (input.maxScans !== undefined && input.maxScans !== link.maxScans)
    Object.assign(wanted, { maxScans: input.maxScans, scansLeft: input.maxScans })
  if (input.rules !== undefined) {
    const rules = (input.rules ?? []).map(storedRule)
    if (!Bun.deepEquals(rules, link.rules))
      Object.assign(wanted, { rules, rulesLeft: leftAfter(link, rules) } satisfies LinkChange)
  }
  const differing = Object.entries(wanted).filter(([key, value]) => !Bun.deepEquals(value, link[key as keyof Link]))
  return Object.fromEntries(differing)
}

function leftAfter({ rules, rulesLeft }: Link, next: readonly LinkRule[]): (number | null)[] {
  const known = rules.map((rule, i) => ({ rule, left: rulesLeft[i] ?? null }))
  return next.map((rule) => {
    const at = known.findIndex((one) => Bun.deepEquals(one.rule, rule))
    return at < 0 ? (rule.firstScans ?? null) : known.splice(at, 1)[0]!.left
  })
}

/** The parts of a code that decide where a scan leads. */
export interface LedCode {
  readonly content: string
  readonly opens: 'TARGET' | 'PAGE' | null
  readonly blockedAt: number | null
  readonly link: Link
}

/**
 * Whether the content may only be seen by scanning: everything else that shows it answers that there is no such code. `maxScans`, a password and a
 * block would otherwise be easy to get around.
 */
export const isHidden = (
  {
    blockedAt,
    link,
  }: Pick<LedCode, 'blockedAt'> & { readonly link: Pick<Link, 'passwordHash' | 'maxScans' | 'expiresAt'> },
  now: number,
): boolean => blockedAt !== null || link.passwordHash !== null || link.maxScans !== null || isExpired(link, now)

const isExpired = ({ expiresAt }: Pick<Link, 'expiresAt'>, now: number): boolean =>
  expiresAt !== null && expiresAt <= now

/** A scan, as far as it decides where the scan leads. */
export interface Scan extends RuleVisitor {
  readonly isRobot: boolean
  /** The right password was sent. */
  readonly hasPassword: boolean
}

export type Decision =
  | { readonly result: 'BLOCKED' | 'HOST_BLOCKED' | 'EXPIRED' | 'EXHAUSTED' | 'PASSWORD' | 'INFO' }
  | { readonly result: 'FALLBACK'; readonly target: URL }
  /** `rule`: the one that holds; null if it is the content. */
  | { readonly result: 'TARGET'; readonly target: URL; readonly rule: number | null }
  | { readonly result: 'PAGE'; readonly rule: null }

const PAGE = { result: 'PAGE', rule: null } as const

export function decide(code: LedCode, scan: Scan, targets: TargetRules): Decision {
  if (code.blockedAt !== null) return { result: 'BLOCKED' }
  const { link } = code
  const ended = isExpired(link, scan.at)
    ? 'EXPIRED'
    : link.scansLeft !== null && link.scansLeft <= 0
      ? 'EXHAUSTED'
      : null
  if (ended !== null) return fallback(link, targets) ?? { result: ended }
  if (link.passwordHash !== null && !scan.hasPassword) return { result: 'PASSWORD' }
  // A preview would use up a scan, and a person who calls themselves a robot would have as many as they like.
  if (link.maxScans !== null && scan.isRobot) return { result: 'INFO' }
  if (code.opens !== 'TARGET') return PAGE
  const rule =
    link.rules.length === 0 ? -1 : matchingRule(link.rules, scan, { left: link.rulesLeft, isRobot: scan.isRobot })
  const address = rule < 0 ? webAddress(code.content) : link.rules[rule]!.target
  if (address === undefined) return PAGE
  const target = readTarget(address, targets)
  if (target === 'BLOCKED') return { result: 'HOST_BLOCKED' }
  // It was stored before this was checked, or before the server had its present addresses.
  return typeof target === 'string' ? PAGE : { result: 'TARGET', target, rule: rule < 0 ? null : rule }
}

function fallback({ fallbackUrl }: Link, targets: TargetRules): Decision | undefined {
  if (fallbackUrl === null) return undefined
  const target = readTarget(fallbackUrl, targets)
  if (target === 'BLOCKED') return { result: 'HOST_BLOCKED' }
  return typeof target === 'string' ? undefined : { result: 'FALLBACK', target }
}

/** The limits of the link after a scan that is led so; undefined if it takes nothing. */
export function takenBy(link: Link, decision: Decision, isRobot: boolean): LinkChange | undefined {
  if (isRobot || (decision.result !== 'TARGET' && decision.result !== 'PAGE')) return undefined
  const taken: LinkChange = {}
  if (link.scansLeft !== null) taken.scansLeft = link.scansLeft - 1
  const { rule } = decision
  if (rule !== null && link.rules[rule]!.firstScans !== undefined)
    taken.rulesLeft = link.rulesLeft.map((left, i) => (i === rule ? (left ?? 0) - 1 : left))
  return Object.keys(taken).length === 0 ? undefined : taken
}
