/** Deleting one's account: every way in goes, what was made stays. */

import type { AppContext } from '#context'
import { platformBindings, unbindRoles } from '#domains/access/index.ts'
import { cityOf, sendNotice } from '#domains/delivery/index.ts'
import { emit } from '#domains/domain.ts'
import type { Actor, Caller } from '#http/endpoint.ts'

import { dropCodes } from '../codes/store.ts'
import { askingDevice } from '../credentials.ts'
import { administratorStays, sessionEnded } from '../errors.ts'
import { deleteLinksOf } from '../links/store.ts'
import { recordLogin } from '../login-records/record.ts'
import { revokeAll } from '../sessions/open.ts'
import { emptyUser, identitiesOf, userById } from '../users/store.ts'

/** What others read where the person's name stood. */
const NOBODY = { en: 'Deleted user', zh: '已注销用户' }

/** Throws a 400 for who holds a PLATFORM role, and for the only owner of an organization. */
export async function deleteAccount(ctx: AppContext, actor: Actor, caller: Caller): Promise<void> {
  const { userId } = actor
  const { ip, locale } = caller
  await ctx.db.write('accounts.deleteAccount', async (tx) => {
    const user = await userById(tx, userId)
    if (user?.status !== 'ACTIVE') throw sessionEnded
    if ((await platformBindings(tx)).some((binding) => binding.userId === userId)) throw administratorStays()
    await emit(ctx, tx, 'user.deleting', { userId })
    const bound = (await identitiesOf(tx, userId)).filter((i) => i.provider !== 'DEVICE')
    const device = askingDevice(actor, caller)
    await recordLogin(ctx, tx, { userId, loginType: 'account_delete', device, ip })
    await dropCodes(
      tx,
      userId,
      bound.map((i) => i.credential),
    )
    await deleteLinksOf(tx, userId)
    await revokeAll(ctx, tx, userId)
    await unbindRoles(ctx, tx, userId, 'APP', 0)
    await emptyUser(tx, userId, NOBODY[locale])
    const data = { at: ctx.clock.now(), device: device.name, ip, city: cityOf(ctx, ip) }
    for (const { provider, credential: to } of bound)
      if (provider === 'EMAIL') await sendNotice(ctx, tx, { to, kind: 'ACCOUNT_DELETED', locale, data })
  })
}
