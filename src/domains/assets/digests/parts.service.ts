/** The parts of digests: what each is called, who may have something of it, and what a user has. */

import type { Db } from '#db/store.ts'
import { addDays, dayAt } from '#lib/days.ts'
import type { Locale, Localized } from '#lib/localized.ts'
import { momentText, periodText } from '#lib/moments.ts'
import { onOneLine } from '#lib/text.ts'
import { DAY } from '#platform/clock.ts'

import {
  type Candidates,
  COUNTED,
  type DigestLine,
  type DigestOwner,
  type DigestPart,
  type DigestPerson,
  type DigestThings,
  NAMED,
} from './digests.model.ts'
import * as store from './parts.store.ts'
import * as requests from './requests.store.ts'

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

const borrowers = async (db: Db, to: number): Promise<Candidates> => ({
  userIds: [...(await store.peopleOfLoans(db, to)), ...(await requests.peopleOfSupplies(db, to))],
  owners: [],
})

async function loansIn(db: Db, person: DigestPerson, range: Parameters<typeof store.dueLoans>[2]) {
  const rows = [...(await store.dueLoans(db, person, range)), ...(await requests.dueSupplies(db, person, range))]
  return thingsOf(
    rows.toSorted((a, b) => a.dueAt - b.dueAt),
    (row) => loanLine(row, person.zone),
  )
}

const overdueLoans: DigestPart = {
  key: 'OVERDUE',
  summary: { en: 'overdue', zh: '逾期未还' },
  heading: { en: 'Overdue loans', zh: '逾期未还' },
  page: 'assets/loans',
  candidates: (db, now) => borrowers(db, now),
  find: (db, person) => loansIn(db, person, () => ({ from: 0, to: person.now })),
}

const dueLoans: DigestPart = {
  key: 'DUE',
  summary: { en: 'due', zh: '即将到期' },
  heading: { en: 'Loans due today or tomorrow', zh: '今明两天到期的借用' },
  page: 'assets/loans',
  candidates: (db, now) => borrowers(db, now + 3 * DAY),
  find: (db, person) => loansIn(db, person, (owner) => ({ from: person.now, to: endOfTomorrow(owner) })),
}

/** Things of a reservation that a line names. */
const NAMED_THINGS = 3

function thingsText({ things }: requests.ReservationThing): Localized {
  const names = things
    .slice(0, NAMED_THINGS)
    .map((thing) => (thing.quantity > 1 ? `${thing.quantity} × ${nameOf(thing)}` : nameOf(thing)))
  const more = things.length - names.length
  return {
    en: names.join(', ') + (more > 0 ? ` and ${more} more` : ''),
    zh: names.join('、') + (more > 0 ? `等 ${things.length} 项` : ''),
  }
}

const requested: DigestPart = {
  key: 'REQUESTED',
  summary: { en: 'to be decided', zh: '待审批' },
  heading: { en: 'Reservations that wait for your decision', zh: '待你审批的预约' },
  page: 'reservations/today',
  candidates: requests.peopleOfRequests,
  async find(db, person) {
    return thingsOf(await requests.requestedOf(db, person), (row) => {
      const things = thingsText(row)
      const time = (locale: Locale) => periodText(row.from, row.to, person.zone, locale)
      return {
        name: onOneLine(row.person),
        detail: { en: `${things.en}, ${time('en')}`, zh: `${things.zh}，${time('zh')}` },
      }
    })
  },
}

const pickUps: DigestPart = {
  key: 'PICK_UP',
  summary: { en: 'to be picked up', zh: '待领取' },
  heading: { en: 'Your reservations of today and tomorrow', zh: '你今明两天的预约' },
  page: 'reservations',
  candidates: async (db, now) => ({ userIds: await requests.peopleOfPickUps(db, now + 3 * DAY), owners: [] }),
  async find(db, person) {
    return thingsOf(await requests.pickUpsOf(db, person, endOfTomorrow), (row) => {
      const time = (locale: Locale) => periodText(row.from, row.to, person.zone, locale)
      return { name: thingsText(row), detail: { en: time('en'), zh: time('zh') } }
    })
  },
}

const low: DigestPart = {
  key: 'LOW',
  summary: { en: 'low', zh: '库存不足' },
  heading: { en: 'Supplies that are low', zh: '库存不足的物资' },
  page: 'assets/supplies',
  candidates: requests.peopleOfLow,
  async find(db, person) {
    return thingsOf(await requests.lowOf(db, person), (row) => {
      const unit = onOneLine(row.unit)
      return {
        name: nameOf({ name: row.name, assetNo: row.supplyNo }),
        detail: {
          en: `${row.stock} ${unit} left, ${row.toOrder} to order`,
          zh: `剩余 ${row.stock} ${unit}，需补 ${row.toOrder} ${unit}`,
        },
      }
    })
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
export const PARTS: readonly DigestPart[] = [
  overdueLoans,
  dueLoans,
  requested,
  pickUps,
  low,
  maintenance,
  warranties,
  counts,
]
