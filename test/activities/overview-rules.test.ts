/** The next steps of an organizer. */

import { describe, expect, test } from 'bun:test'

import { isOnline, lastMinutes, nextSteps } from '#domains/activities/overview/overview.rules.ts'
import { DAY, HOUR, MINUTE } from '#platform/clock.ts'

const NOW = 1_700_000_000_000

const active = {
  status: 'ACTIVE',
  hasPass: true,
  autoIssue: false,
  startTime: NOW + 10 * DAY,
  endTime: NOW + 11 * DAY,
  capacity: 0,
  registration: null,
} as const
const facts = { counters: { confirmed: 0, waiting: 0, passes: 0 }, revoked: 0, gates: 0, lastMessageAt: undefined }
type Case = [what: string, activity: object, facts: object, next: string[]]

const counters = (confirmed: number, passes = 0, waiting = 0) => ({ counters: { confirmed, waiting, passes } })
const soon = { startTime: NOW + 48 * HOUR }

describe('the next steps', () => {
  const cases: Case[] = [
    ['of a draft are to publish it', { status: 'DRAFT', startTime: NOW }, counters(3), ['PUBLISH']],
    ['of an activity that is over are none', { endTime: NOW - 1, startTime: NOW - DAY }, counters(3), []],
    ['of a cancelled activity are none', { status: 'CANCELLED', startTime: NOW }, counters(3), []],
    ['are none long before the start', {}, {}, []],
    ['are to issue passes while some have none', {}, counters(3, 2), ['ISSUE_PASSES']],
    ['are to issue passes in place of revoked ones', {}, { ...counters(2, 2), revoked: 1 }, ['ISSUE_PASSES']],
    ['leave passes to the server', { autoIssue: true }, counters(3), []],
    ['are none for passes that nobody needs', { hasPass: false }, counters(3), []],
    ['are to answer people who wait for places', { capacity: 9 }, counters(8, 8, 2), ['ANSWER_REQUESTS']],
    [
      'are to answer people who need an approval',
      { capacity: 8, registration: { approval: true } },
      counters(8, 8, 2),
      ['ANSWER_REQUESTS'],
    ],
    ['are none while all places are taken', { capacity: 8 }, counters(8, 8, 2), []],
    ['are to remind two days before', soon, counters(1, 1), ['SEND_REMINDER']],
    ['are none two days and a moment before', { startTime: NOW + 48 * HOUR + 1 }, counters(1, 1), []],
    ['are no reminder for nobody', soon, {}, []],
    ['are no reminder after a message', soon, { ...counters(1, 1), lastMessageAt: NOW - 7 * DAY }, []],
    ['forget old messages', soon, { ...counters(1, 1), lastMessageAt: NOW - 7 * DAY - 1 }, ['SEND_REMINDER']],
    ['are to open a gate a day before', { startTime: NOW + DAY }, {}, ['OPEN_GATE']],
    ['are to open a gate while it runs', { startTime: NOW - HOUR }, counters(1, 1), ['OPEN_GATE']],
    ['are none while a gate is open', { startTime: NOW - HOUR }, { gates: 1 }, []],
    ['are none of a gate without passes', { startTime: NOW - HOUR, hasPass: false }, {}, []],
    [
      'are in the order in which they are done',
      { startTime: NOW + HOUR },
      counters(3, 1, 2),
      ['ANSWER_REQUESTS', 'ISSUE_PASSES', 'SEND_REMINDER', 'OPEN_GATE'],
    ],
  ]
  test.each(cases)('%s', (_, activity, given, next) => {
    expect(nextSteps({ ...active, ...activity }, { ...facts, ...given }, NOW)).toEqual(next as never)
  })
})

test.each([
  [null, false],
  [NOW, true],
  [NOW - 2 * MINUTE, true],
  [NOW - 2 * MINUTE - 1, false],
])('a gate that was last seen at %p is online: %p', (lastSeenAt, expected) => {
  expect(isOnline(lastSeenAt, NOW)).toBe(expected)
})

test('the last 60 minutes end with the present one', () => {
  const minutes = lastMinutes(NOW)
  expect(minutes).toHaveLength(60)
  expect(minutes.at(-1)).toBe(NOW - (NOW % MINUTE))
  expect(minutes[0]).toBe(minutes.at(-1)! - 59 * MINUTE)
})
