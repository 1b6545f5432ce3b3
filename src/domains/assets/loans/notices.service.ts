/** Notifies of loans that are due soon or overdue. */

import type { AppContext } from '#context'
import { orgOf } from '#db/owner-key.ts'
import type { Tx } from '#db/store.ts'
import type { Localized } from '#lib/localized.ts'

import { bookingsOfMany } from '../categories/categories.store.ts'
import { keepersAmong, tell } from '../keepers.service.ts'
import { userNames } from '../register/register.store.ts'
import { ownerOfOrg, remindable } from '../reminders.store.ts'
import { adoptLoans, type DueLoan, takeDue } from './loans.store.ts'

/** Loans of which one write notifies. */
const LOANS_PER_WRITE = 200
/** Assets that a notification names. */
const NAMED = 5

/**
 * Notifies of each loan when it is due soon, when it is overdue, and five more times, each a week later: the borrower, and the user who handed
 * the asset out. Loans of a user that are found together are one notification.
 */
export async function notifyOfDueLoans(ctx: AppContext): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    const taken = await ctx.db.write('assets.notifyOfDueLoans', async (tx) => {
      const now = ctx.clock.now()
      if (isFirst) await adoptLoans(tx, now)
      const loans = await takeDue(tx, now, LOANS_PER_WRITE)
      for (const [owner, some] of Map.groupBy(loans, (loan) => loan.owner)) await notifyOf(ctx, tx, owner, some, now)
      return loans.length
    })
    if (taken < LOANS_PER_WRITE) return
    await Bun.sleep(0)
  }
}

type Kind = 'DUE_SOON' | 'OVERDUE'
type Role = 'borrower' | 'lender'

interface Notified {
  readonly userId: number
  readonly kind: Kind
  readonly role: Role
  readonly loan: DueLoan
}

async function notifyOf(ctx: AppContext, tx: Tx, owner: number, loans: readonly DueLoan[], now: number): Promise<void> {
  const orgId = orgOf(owner)
  const people = loans.flatMap(({ userId, operatorId }) => (userId === null ? [operatorId] : [userId, operatorId]))
  // Users who have left the organization are not told about its assets.
  const ready = await remindable(tx, orgId, people)
  const all: Notified[] = []
  for (const loan of loans) {
    const kind = now < loan.dueAt! ? 'DUE_SOON' : 'OVERDUE'
    const isBorrower = loan.userId !== null && ready.has(loan.userId)
    if (isBorrower) all.push({ userId: loan.userId!, kind, role: 'borrower', loan })
    for (const userId of await lendersOf(tx, loan, ready))
      if (!isBorrower || userId !== loan.userId) all.push({ userId, kind, role: 'lender', loan })
  }
  const names = orgId === 0 ? new Map<number, string>() : await userNames(tx, orgId, people)
  for (const some of Map.groupBy(all, ({ userId, kind, role }) => `${userId} ${kind} ${role}`).values())
    await send(ctx, tx, owner, some, names)
}

/** The user who handed the asset out; without them the keepers of its category, or else the owner of the organization. */
async function lendersOf(tx: Tx, loan: DueLoan, ready: ReadonlySet<number>): Promise<readonly number[]> {
  const { owner, operatorId, categoryId } = loan
  if (ready.has(operatorId)) return [operatorId]
  const orgId = orgOf(owner)
  if (orgId === 0) return []
  const booking = categoryId === null ? undefined : (await bookingsOfMany(tx, [categoryId])).get(categoryId)
  if (booking !== undefined && booking.keeperIds.length > 0) return keepersAmong(tx, owner, booking.keeperIds)
  const ownerId = await ownerOfOrg(tx, orgId)
  return ownerId === undefined ? [] : [ownerId]
}

const TITLES: Readonly<Record<Kind, (many: boolean) => Localized>> = {
  DUE_SOON: (many) => ({ en: many ? 'Loans are due soon' : 'A loan is due soon', zh: '借用即将到期' }),
  OVERDUE: (many) => ({ en: many ? 'Loans are overdue' : 'A loan is overdue', zh: '借用已逾期' }),
}
const EVENTS: Readonly<Record<Kind, string>> = { DUE_SOON: 'LOAN_DUE', OVERDUE: 'LOAN_OVERDUE' }

async function send(
  ctx: AppContext,
  tx: Tx,
  owner: number,
  some: readonly Notified[],
  names: ReadonlyMap<number, string>,
): Promise<void> {
  const [{ userId, kind, role }] = some as [Notified, ...Notified[]]
  const named = some.slice(0, NAMED)
  const more = some.length - named.length
  const things = named.map(({ loan }) => {
    const person = loan.personName ?? names.get(loan.userId ?? 0)
    const thing = `${loan.name} (${loan.assetNo})`
    return role === 'lender' && person !== undefined
      ? { en: `${thing} from ${person}`, zh: `${person}：${thing}` }
      : { en: thing, zh: thing }
  })
  const list = {
    en: `${things.map(({ en }) => en).join('; ')}${more > 0 ? `; and ${more} more` : ''}`,
    zh: `${things.map(({ zh }) => zh).join('；')}${more > 0 ? `；另有 ${more} 项` : ''}`,
  }
  const loans = some.map(({ loan }) => loan)
  const reservationIds = new Set(loans.map(({ reservationId }) => reservationId))
  const [only] = loans
  await tell(ctx, tx, owner, {
    userIds: [userId],
    title: TITLES[kind](some.length > 1),
    body: BODIES[role][kind](list),
    data: {
      ...(loans.length === 1
        ? { assetId: only!.assetId, loanId: only!.id }
        : { assetIds: loans.map((loan) => loan.assetId), loanIds: loans.map((loan) => loan.id) }),
      ...(reservationIds.size === 1 && only!.reservationId !== null && { reservationId: only!.reservationId }),
      event: EVENTS[kind],
    },
  })
}

const BODIES: Readonly<Record<Role, Readonly<Record<Kind, (list: Localized) => Localized>>>> = {
  borrower: {
    DUE_SOON: ({ en, zh }) => ({ en: `Please return soon: ${en}.`, zh: `请尽快归还：${zh}。` }),
    OVERDUE: ({ en, zh }) => ({ en: `Please return ${en}.`, zh: `请归还 ${zh}。` }),
  },
  lender: {
    DUE_SOON: ({ en, zh }) => ({ en: `You will soon get back ${en}.`, zh: `即将归还：${zh}。` }),
    OVERDUE: ({ en, zh }) => ({ en: `You have not got back ${en}.`, zh: `尚未归还：${zh}。` }),
  },
}
