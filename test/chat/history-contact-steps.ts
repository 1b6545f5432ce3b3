/** The steps of a random history that change contacts, requests and privacy. */

import { expect } from 'bun:test'

import { HOUR } from '#platform/clock.ts'

import {
  type Contact,
  DAY,
  directOf,
  endDraft,
  hasContact,
  isBlocked,
  isPending,
  isTwoWay,
  mayName,
  memberOf,
  type Request,
  takesRequest,
  type User,
} from './history-model.ts'
import {
  answered,
  chance,
  contactView,
  context,
  now,
  of,
  others,
  pick,
  requests,
  type Step,
  trace,
  WORDS,
  world,
} from './history-world.ts'

const EXPIRY = 30 * DAY

const between = (from: User, to: User): Request[] => requests.filter((each) => each.from === from && each.to === to)
const pendingBetween = (from: User, to: User): Request | undefined =>
  between(from, to).find((each) => isPending(each, now()))

export function rowOf(user: User, other: User): Contact {
  let row = user.contacts.get(other.id)
  if (row === undefined) {
    row = { id: undefined, isContact: false, blocked: false, remark: '', tags: [] }
    user.contacts.set(other.id, row)
  }
  return row
}

/** Both become contacts. A row that was there keeps its remark unless there is a new one. */
function connect(a: User, b: User, remarkOfA = '', remarkOfB = ''): void {
  for (const [user, other, remark] of [
    [a, b, remarkOfA],
    [b, a, remarkOfB],
  ] as const) {
    const row = rowOf(user, other)
    row.isContact = true
    if (remark !== '') row.remark = remark
  }
}

/**
 * The outcomes of a request that the rules allow: statuses, and the status of the request for 200 (SAME: the one that is there). Where the rules
 * leave the answer open, there are several.
 */
function requestOutcomes(from: User, to: User, isByCode: boolean): (number | 'PENDING' | 'ACCEPTED' | 'SAME')[] {
  if (from === to) return [400]
  const known = isByCode ? true : mayName(world, from, to, now())
  if (known === false) return [404]
  const unknown = known === undefined ? [404] : []
  if (isTwoWay(from, to)) return [400]
  const outcomes: (number | 'PENDING' | 'ACCEPTED' | 'SAME')[] = []
  const isRefused = !takesRequest(from, to, isByCode)
  // With CARD_ONLY, whether a card that was looked up before counts is open.
  const isHalfRefused =
    isRefused && to.whoMayRequest === 'CARD_ONLY' && now() - (from.lookups.get(to.id) ?? -Infinity) < DAY + HOUR
  const isBlockedBy = to.contacts.get(from.id)?.blocked ?? false
  const own = pendingBetween(from, to)
  const crossing = pendingBetween(to, from)
  const rejectedAt = Math.max(
    ...[...between(from, to), ...between(to, from)].filter((r) => r.status === 'REJECTED').map((r) => r.handledAt!),
    -Infinity,
  )
  const isWaiting = between(from, to).some((r) => r.status === 'REJECTED' && now() - r.handledAt! < DAY - HOUR)
  const mayWait = now() - rejectedAt < DAY + HOUR
  if (own) outcomes.push('SAME')
  // Somebody who has asked and then blocked the other one can be accepted either way.
  else if (isBlockedBy) outcomes.push('PENDING', ...(crossing ? (['ACCEPTED'] as const) : []))
  else if (crossing)
    outcomes.push(...(crossing.isHidden ? (['ACCEPTED', 'PENDING'] as const) : (['ACCEPTED'] as const)))
  else if (hasContact(to, from)) outcomes.push('ACCEPTED')
  else if (isWaiting && !isRefused) return [4022, ...unknown]
  else if (!isRefused || isHalfRefused) outcomes.push('PENDING')
  if (isRefused) outcomes.push(404)
  if (mayWait && !own) outcomes.push(4022)
  // Somebody whom the sender has blocked.
  if (from.contacts.get(to.id)?.blocked) outcomes.push(400, 4012, 'PENDING', 'ACCEPTED')
  return [...outcomes, ...unknown]
}

const CONTACT_FIELDS = ['userId', 'nickname', 'remark', 'tags', 'blocked', 'twoWay'] as const

function checkContact(user: User, other: User, view: Record<string, unknown>): void {
  const row = user.contacts.get(other.id)!
  expect(Object.fromEntries(CONTACT_FIELDS.map((key) => [key, view[key]])), context()).toEqual(
    contactView(user, other.id, row),
  )
  expect(row.id ?? view['id'], context()).toBe(view['id'] as number)
  row.id = view['id'] as number
}

/** A row of the user, or now and then one of somebody else, which does not exist for the user. */
function someRow(user: User): { path: string; other: User; row: Contact; isOwn: boolean } | undefined {
  const owner = chance(8) ? pick(others(user)) : user
  const rows = [...owner.contacts].filter(([, { id }]) => id !== undefined)
  if (rows.length === 0) return undefined
  const [otherId, row] = pick(rows)
  const other = world.users.find(({ id }) => id === otherId)!
  return { path: `/api/contacts/${row.id}`, other, row, isOwn: owner === user }
}

export const contactSteps: Record<string, Step> = {
  async request(user) {
    const to = chance(3) ? user : pick(others(user))
    const isByCode = to.cardCode !== undefined && chance(30)
    const [message, remark] = [chance(50) ? pick(WORDS) : undefined, chance(30) ? pick(WORDS) : undefined]
    const code = isByCode && chance(15) && to.oldCodes.length > 0 ? pick(to.oldCodes) : to.cardCode
    const target = isByCode ? { code: pick([code, `user:${code}`]) } : { userId: to.id }
    const isOld = isByCode && code !== to.cardCode
    const allowed = isOld ? [404] : requestOutcomes(user, to, isByCode)
    const own = pendingBetween(user, to)
    const crossing = pendingBetween(to, user)
    const statuses = [...new Set(allowed.map((each) => (typeof each === 'number' ? each : 200)))]
    const body = { ...target, ...(message !== undefined && { message }), ...(remark !== undefined && { remark }) }
    const reply = await of(user).post('/api/contacts/requests', body)
    if (!answered(`request ${user.name} → ${to.name} ${JSON.stringify(body)}`, reply, ...statuses)) return
    const { id, status, direction, userId } = reply.data
    expect(userId, context()).toBe(to.id)
    if (own !== undefined && id === own.id) {
      expect([status, reply.data.message, direction], context()).toEqual(['PENDING', own.message, 'OUTGOING'])
      expect(allowed, context()).toContain('SAME')
      return
    }
    expect(allowed, context()).toContain(status)
    const isHidden = status === 'PENDING' && (to.contacts.get(user.id)?.blocked ?? false)
    if (crossing !== undefined && status === 'ACCEPTED') {
      crossing.status = 'ACCEPTED'
      crossing.handledAt = now()
    }
    if (crossing === undefined || id !== crossing.id) {
      const handledAt = status === 'ACCEPTED' ? now() : undefined
      const expiresAt = now() + EXPIRY
      const [text, note] = [message ?? '', remark ?? '']
      requests.push({ id, from: user, to, message: text, remark: note, status, isHidden, expiresAt, handledAt })
      expect([direction, reply.data.message], context()).toEqual(['OUTGOING', text])
    }
    if (status === 'ACCEPTED') connect(user, to, remark, crossing?.remark)
  },
  async accept(user) {
    const request = someRequest(user)
    if (request === undefined) return
    const remark = chance(40) ? pick(WORDS) : undefined
    const body = remark === undefined ? {} : { remark }
    const isMine = request.to === user && !request.isHidden
    const { from, to } = request
    const isOpen = isPending(request, now())
    const allowed = !isMine
      ? [404]
      : !isOpen
        ? [400]
        : isBlocked(from, to) || isTwoWay(from, to)
          ? [200, 400, 404]
          : [200]
    const reply = await of(user).post(`/api/contacts/${request.id}/accept`, body)
    if (!answered(`accept ${user.name} ${request.id}`, reply, ...allowed)) return
    request.status = 'ACCEPTED'
    request.handledAt = now()
    connect(from, to, request.remark, remark)
    checkContact(user, from, reply.data)
  },
  async reject(user) {
    const request = someRequest(user)
    if (request === undefined) return
    const block = chance(30)
    const isMine = request.to === user && !request.isHidden
    const reply = await of(user).post(`/api/contacts/${request.id}/reject`, chance(50) || block ? { block } : {})
    const allowed = !isMine ? [404] : isPending(request, now()) ? [200] : [400]
    if (!answered(`reject ${user.name} ${request.id} ${block}`, reply, ...allowed)) return
    expect([reply.data.id, reply.data.status], context()).toEqual([request.id, 'REJECTED'])
    request.status = 'REJECTED'
    request.handledAt = now()
    if (block) rowOf(user, request.from).blocked = true
  },
  async remark(user) {
    const found = someRow(user)
    if (found === undefined) return
    const { row, other, path, isOwn } = found
    const remark = pick([...WORDS, '', null])
    const reply = await of(user).put(`${path}/remark`, { remark })
    // Whether a blocked user who is not a contact has a remark is open.
    const allowed = !isOwn ? [404] : row.isContact ? [200] : [200, 404]
    if (!answered(`remark ${user.name} ${other.name}`, reply, ...allowed)) return
    row.remark = remark ?? ''
    checkContact(user, other, reply.data)
  },
  async tags(user) {
    const found = someRow(user)
    if (found === undefined) return
    const { row, other, path, isOwn } = found
    const tags = [pick(WORDS), pick(WORDS), pick(WORDS)].slice(0, pick([0, 1, 2, 3]))
    const reply = await of(user).put(`${path}/tags`, { tags })
    const allowed = !isOwn ? [404] : row.isContact ? [200] : [200, 404]
    if (!answered(`tags ${user.name} ${other.name}`, reply, ...allowed)) return
    row.tags = [...new Set(tags)]
    checkContact(user, other, reply.data)
  },
  async deleteContact(user) {
    const found = someRow(user)
    if (found === undefined || !chance(60)) return
    const { row, other, path, isOwn } = found
    const reply = await of(user).delete(path)
    const allowed = !isOwn ? [404] : row.isContact ? [200] : [200, 404]
    if (!answered(`deleteContact ${user.name} ${other.name}`, reply, ...allowed)) return
    if (row.blocked) await learnBlock(user, other)
    else user.contacts.delete(other.id)
    const conversation = directOf(world, user, other)
    if (conversation !== undefined) {
      const clearedUpTo = conversation.messages.at(-1)?.id ?? 0
      Object.assign(memberOf(conversation, user), {
        hidden: true,
        clearedUpTo,
        pinned: false,
        muted: false,
        markedUnread: false,
      })
      endDraft(memberOf(conversation, user))
    }
  },
  async block(user) {
    const found = someRow(user)
    if (found === undefined || !chance(40)) return
    const reply = await of(user).post(`${found.path}/block`)
    if (!answered(`block ${user.name} ${found.other.name}`, reply, found.isOwn ? 200 : 404)) return
    found.row.blocked = true
    checkContact(user, found.other, reply.data)
  },
  async unblock(user) {
    const blocked = [...user.contacts].filter(([, { blocked: is, id }]) => is && id !== undefined)
    if (blocked.length === 0) return
    const [otherId, row] = pick(blocked)
    const other = world.users.find(({ id }) => id === otherId)!
    const reply = await of(user).post(`/api/contacts/${row.id}/unblock`)
    if (!answered(`unblock ${user.name} ${other.name}`, reply, 200)) return
    row.blocked = false
    expect(reply.data.blocked, context()).toBe(false)
    if (!row.isContact) user.contacts.delete(otherId)
  },
  async lookUp(user) {
    const other = pick(world.users)
    const code = chance(20) && other.oldCodes.length > 0 ? pick(other.oldCodes) : other.cardCode
    if (code === undefined) return
    const reply = await of(user).get(`/api/contacts/by-qr-code/${code}`)
    const isRight = code === other.cardCode
    const hasBlocked = other.contacts.get(user.id)?.blocked ?? false
    const allowed = !isRight ? [404] : hasBlocked ? [200, 404] : [200]
    if (!answered(`lookUp ${user.name} ${other.name}`, reply, ...allowed)) return
    const relation =
      user === other
        ? ['SELF']
        : hasContact(user, other)
          ? ['CONTACT']
          : [
              ...(pendingBetween(user, other) ? ['REQUEST_SENT'] : []),
              ...(pendingBetween(other, user)?.isHidden === false ? ['REQUEST_RECEIVED'] : []),
            ]
    expect(relation.length > 0 ? relation : ['NONE'], context()).toContain(reply.data.relation)
    expect(reply.data.userId, context()).toBe(other.id)
    user.lookups.set(other.id, now())
  },
  async card(user) {
    const isRefresh = user.cardCode !== undefined && chance(40)
    const reply = isRefresh
      ? await of(user).post('/api/contacts/my-qrcode/refresh')
      : await of(user).get('/api/contacts/my-qrcode')
    answered(`${isRefresh ? 'refreshCard' : 'card'} ${user.name}`, reply, 200)
    const { code, content } = reply.data
    expect(content, context()).toBe(`user:${code}`)
    if (isRefresh) {
      user.oldCodes.push(user.cardCode!)
      expect(user.oldCodes, context()).not.toContain(code)
    } else if (user.cardCode !== undefined) expect(code, context()).toBe(user.cardCode)
    user.cardCode = code
  },
  async privacy(user) {
    const body = {
      ...(chance(40) && {
        whoMayRequest: pick(['EVERYONE', 'EVERYONE', 'ORG_MEMBERS', 'CARD_ONLY', 'NOBODY'] as const),
      }),
      ...(chance(40) && { whoMayMessage: pick(['CONTACTS', 'CONTACTS', 'ORG_MEMBERS', 'EVERYONE'] as const) }),
      ...(chance(40) && { readReceipts: chance(70) }),
    }
    const reply = await of(user).put('/api/contacts/settings', body)
    answered(`privacy ${user.name} ${JSON.stringify(body)}`, reply, 200)
    Object.assign(user, body)
    const { whoMayRequest, whoMayMessage, readReceipts } = user
    expect(reply.data, context()).toMatchObject({ whoMayRequest, whoMayMessage, readReceipts })
  },
}

/** A pending request to the user in most cases. */
function someRequest(user: User): Request | undefined {
  const mine = requests.filter((each) => each.to === user && !each.isHidden && isPending(each, now()))
  const list = mine.length > 0 && chance(85) ? mine : requests.slice(-30)
  return list.length > 0 ? pick(list) : undefined
}

/** Whether a blocked contact stays blocked when it is deleted is not settled: looks, and follows. */
async function learnBlock(user: User, other: User): Promise<void> {
  const { data } = await of(user).get('/api/contacts', { blocked: true, size: 100 })
  const left = data.items.find(({ userId }: { userId: number }) => userId === other.id)
  trace.push(`after the deletion ${other.name} is ${left ? 'blocked' : 'gone'}`)
  if (left === undefined) user.contacts.delete(other.id)
  else
    Object.assign(user.contacts.get(other.id)!, { isContact: false, remark: left.remark, tags: left.tags, id: left.id })
}
