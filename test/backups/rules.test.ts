import { describe, expect, test } from 'bun:test'

import { isOverdue, lastDue, nextDue, type Schedule, toDelete } from '#domains/backups/backups.rules.ts'
import type { BackupNote, FoundBackup } from '#platform/backup/folder.ts'
import { DAY } from '#platform/clock.ts'

const at = (text: string) => Date.parse(text)
const iso = (time: number | undefined) => (time === undefined ? undefined : new Date(time).toISOString().slice(0, 16))

describe('the time of the next backup', () => {
  const table: [string, Schedule, now: string, last: string | undefined, next: string | undefined][] = [
    [
      'a backup is never due without a schedule',
      { every: 'OFF', hour: 3, zone: 'UTC' },
      '2030-01-02T12:00Z',
      undefined,
      undefined,
    ],
    [
      'a backup is due today if the hour has come',
      { every: 'DAILY', hour: 3, zone: 'UTC' },
      '2030-01-02T03:00Z',
      '2030-01-02T03:00',
      '2030-01-03T03:00',
    ],
    [
      'the backup of yesterday was the last one that was due if the hour has not come',
      { every: 'DAILY', hour: 3, zone: 'UTC' },
      '2030-01-02T02:59Z',
      '2030-01-01T03:00',
      '2030-01-02T03:00',
    ],
    [
      'the hour of a backup is in the time zone of the schedule',
      { every: 'DAILY', hour: 3, zone: '+08:00' },
      '2030-01-02T00:00Z',
      '2030-01-01T19:00',
      '2030-01-02T19:00',
    ],
    [
      'a weekly backup is due on Sundays',
      { every: 'WEEKLY', hour: 23, zone: 'UTC' },
      '2030-01-02T00:00Z',
      '2029-12-30T23:00',
      '2030-01-06T23:00',
    ],
    // Clocks go forward at 2 o'clock on 31 March 2030, and back at 3 o'clock on 27 October.
    [
      'a backup is due once if the clocks skip its hour',
      { every: 'DAILY', hour: 2, zone: 'Europe/Berlin' },
      '2030-03-31T12:00Z',
      '2030-03-31T01:00',
      '2030-04-01T00:00',
    ],
    [
      'a backup is due once if its hour comes twice',
      { every: 'DAILY', hour: 2, zone: 'Europe/Berlin' },
      '2030-10-27T00:30Z',
      '2030-10-27T00:00',
      '2030-10-28T01:00',
    ],
  ]
  test.each(table)('%s', (_name, schedule, now, last, next) => {
    expect([iso(lastDue(schedule, at(now))), iso(nextDue(schedule, at(now)))]).toEqual([last, next])
  })
})

test('good backups are overdue after two intervals of the schedule', () => {
  const schedule = (every: Schedule['every']): Schedule => ({ every, hour: 3, zone: 'UTC' })
  expect(isOverdue(schedule('OFF'), undefined, 0)).toBe(false)
  expect(isOverdue(schedule('DAILY'), undefined, 0)).toBe(true)
  expect(isOverdue(schedule('DAILY'), 0, 2 * DAY)).toBe(false)
  expect(isOverdue(schedule('DAILY'), 0, 2 * DAY + 1)).toBe(true)
  expect(isOverdue(schedule('WEEKLY'), 0, 14 * DAY)).toBe(false)
})

describe('backups that the schedule deletes', () => {
  type Verdict = 'GOOD' | 'DAMAGED' | 'FAILED'
  const backup = (startedAt: number, source: BackupNote['source'], verdict?: Verdict): FoundBackup => ({
    name: `${startedAt}.tar.zst`,
    ...(verdict && { file: { size: 1, modifiedAt: startedAt } }),
    note: {
      state: verdict ? 'READY' : 'FAILED',
      source,
      createdBy: null,
      startedAt,
      finishedAt: startedAt,
      files: 1,
      rows: 1,
      problem: null,
      verification: verdict ? { state: verdict, at: startedAt, problem: null } : null,
    },
  })

  test('only backups of the schedule are deleted, and damaged, failed and unverified ones do not count as kept', () => {
    const found = [
      backup(9, 'SCHEDULE', 'GOOD'),
      backup(8, 'SCHEDULE', 'DAMAGED'),
      backup(7, 'SCHEDULE'),
      backup(6.5, 'SCHEDULE', 'FAILED'),
      backup(6, 'SCHEDULE', 'GOOD'),
      backup(5, 'USER', 'GOOD'),
      backup(4, 'SCHEDULE', 'GOOD'),
      backup(3, 'SCHEDULE'),
      backup(2, 'COMMAND_LINE', 'GOOD'),
    ]
    const made = '9.tar.zst'
    expect(toDelete(found, 2, made)).toEqual(['4.tar.zst', '3.tar.zst'])
    const allOlder = ['8.tar.zst', '7.tar.zst', '6.5.tar.zst', '6.tar.zst', '4.tar.zst', '3.tar.zst']
    expect(toDelete(found, 1, made)).toEqual(allOlder)
    expect(toDelete(found, 4, made)).toEqual([])
  })

  test('a backup that was just made stays, even if the clock was ahead when the others were made', () => {
    const found = [
      backup(9, 'SCHEDULE', 'GOOD'),
      backup(8, 'SCHEDULE', 'GOOD'),
      backup(7, 'SCHEDULE', 'GOOD'),
      backup(1, 'SCHEDULE', 'GOOD'),
    ]
    expect(toDelete(found, 2, '1.tar.zst')).toEqual(['8.tar.zst', '7.tar.zst'])
    expect(toDelete(found, 4, '1.tar.zst')).toEqual([])
  })
})
