/** The parts of digests: what each is called, who may have something of it, and what a user has. */

import { addDays, dayAt } from '#lib/days.ts'
import type { Locale } from '#lib/localized.ts'
import { momentText } from '#lib/moments.ts'
import { onOneLine } from '#lib/text.ts'
import { DAY } from '#platform/clock.ts'

import {
  COUNTED,
  type DigestLine,
  type DigestOwner,
  type DigestPart,
  type DigestThings,
  NAMED,
} from './digests.model.ts'
import * as store from './parts.store.ts'

/** Days are those of the owners, which differ by at most a day from those of UTC. */
const earliestDay = (now: number): string => addDays(dayAt(now, 'UTC'), -1)
const latestDay = (now: number): string => addDays(dayAt(now, 'UTC'), 1)

const WARRANTY_DAYS = 30
const COUNT_DAYS = 14

function thingsOf<T>(rows: readonly T[], lineOf: (row: T) => DigestLine): DigestThings {
  return { lines: rows.slice(0, NAMED).map(lineOf), total: Math.min(rows.length, COUNTED + 1) }
}

const nameOf = ({ name, assetNo }: { name: string; assetNo: string }): string => `${onOneLine(name)} (${assetNo})`

function loanLine(loan: store.LoanThing, zone: string): DigestLine {
  const at = (locale: Locale) => momentText(loan.dueAt, zone, locale)
  const borrower = loan.borrower === null ? undefined : onOneLine(loan.borrower)
  return {
    name: nameOf(loan),
    detail: {
      en: borrower === undefined ? `to be returned by you, ${at('en')}` : `with ${borrower}, due ${at('en')}`,
      zh: borrower === undefined ? `应由你归还，${at('zh')}` : `借用人 ${borrower}，应还时间 ${at('zh')}`,
    },
  }
}

/** The end of the day after `today`: a loan is in the digest of the day before it is due. */
const endOfTomorrow = ({ today, zone }: DigestOwner): number =>
  Temporal.PlainDate.from(today).add({ days: 2 }).toZonedDateTime(zone).epochMilliseconds

const overdueLoans: DigestPart = {
  key: 'OVERDUE',
  summary: { en: 'overdue', zh: '逾期未还' },
  heading: { en: 'Overdue loans', zh: '逾期未还' },
  page: 'assets/loans',
  candidates: async (db, now) => ({ userIds: await store.peopleOfLoans(db, now), owners: [] }),
  async find(db, person) {
    const rows = await store.dueLoans(db, person, () => ({ from: 0, to: person.now }))
    return thingsOf(rows, (row) => loanLine(row, person.zone))
  },
}

const dueLoans: DigestPart = {
  key: 'DUE',
  summary: { en: 'due', zh: '即将到期' },
  heading: { en: 'Loans due today or tomorrow', zh: '今明两天到期的借用' },
  page: 'assets/loans',
  candidates: async (db, now) => ({ userIds: await store.peopleOfLoans(db, now + 3 * DAY), owners: [] }),
  async find(db, person) {
    const rows = await store.dueLoans(db, person, (owner) => ({ from: person.now, to: endOfTomorrow(owner) }))
    return thingsOf(rows, (row) => loanLine(row, person.zone))
  },
}

const maintenance: DigestPart = {
  key: 'MAINTENANCE',
  summary: { en: 'to be serviced', zh: '待维护' },
  heading: { en: 'Maintenance due or overdue', zh: '到期或逾期的维护' },
  page: 'assets/maintenance',
  candidates: (db, now) => store.peopleOfMaintenance(db, latestDay(now)),
  async find(db, person) {
    const todayOf = new Map(person.owners.map(({ owner, today }) => [owner, today]))
    return thingsOf(await store.dueMaintenance(db, person), (row) => {
      const { day } = row
      const plan = onOneLine(row.plan)
      const isOverdue = day < todayOf.get(row.owner)!
      return {
        name: nameOf(row),
        detail: isOverdue
          ? { en: `${plan}, overdue since ${day}`, zh: `${plan}，自 ${day} 起逾期` }
          : { en: `${plan}, due on ${day}`, zh: `${plan}，${day} 到期` },
      }
    })
  },
}

const warranties: DigestPart = {
  key: 'WARRANTY',
  summary: { en: 'warranties ending', zh: '保修将到期' },
  heading: { en: `Warranties that end within ${WARRANTY_DAYS} days`, zh: `${WARRANTY_DAYS} 天内到期的保修` },
  page: 'assets',
  candidates: async (db, now) => ({
    userIds: await store.peopleOfWarranties(db, earliestDay(now), addDays(latestDay(now), WARRANTY_DAYS)),
    owners: [],
  }),
  async find(db, person) {
    const rows = await store.endingWarranties(db, person, (today) => addDays(today, WARRANTY_DAYS))
    return thingsOf(rows, (row) => ({
      name: nameOf(row),
      detail: { en: `until ${row.day}`, zh: `保修至 ${row.day}` },
    }))
  },
}

const counts: DigestPart = {
  key: 'COUNT',
  summary: { en: 'counts', zh: '待盘点' },
  heading: { en: `Counts within ${COUNT_DAYS} days, by category`, zh: `${COUNT_DAYS} 天内应盘点的资产（按类别）` },
  page: 'assets/inventories',
  candidates: async (db, now) => ({
    userIds: [],
    owners: await store.ownersOfCounts(db, addDays(latestDay(now), COUNT_DAYS)),
  }),
  async find(db, person) {
    const rows = await store.dueCounts(db, person, (today) => addDays(today, COUNT_DAYS))
    return thingsOf(rows, ({ name, n, day }) => ({
      name: name === null ? { en: 'Without a category', zh: '未分类' } : onOneLine(name),
      detail: {
        en: `${n} ${n === 1 ? 'asset' : 'assets'}, the first by ${day}`,
        zh: `${n} 项资产，最早 ${day}`,
      },
    }))
  },
}

/** The most urgent first. A new part is one more record. */
export const PARTS: readonly DigestPart[] = [overdueLoans, dueLoans, maintenance, warranties, counts]
