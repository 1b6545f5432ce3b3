/** The reasons why a check-in is refused, as sentences. */

import { type AppError, badRequest, limited } from '#http/errors.ts'
import type { Localized } from '#lib/localized.ts'

import type { CheckInPolicy } from '../register/register.rules.ts'
import type { Reason, Refused } from './check-ins.rules.ts'

const SENTENCES: Readonly<Record<Exclude<Reason, 'outside' | 'over the limit'>, Localized>> = {
  'no check-in': { en: 'This activity has no check-in', zh: '该活动未开启签到' },
  draft: { en: 'This activity has not been published yet', zh: '该活动尚未发布' },
  ended: { en: 'This activity has ended', zh: '该活动已结束' },
  cancelled: { en: 'This activity was cancelled', zh: '该活动已取消' },
  'too early': { en: 'Check-in has not opened yet', zh: '签到尚未开始' },
  'too late': { en: 'Check-in has closed', zh: '签到已截止' },
  'foreign code': { en: 'This code does not belong to this activity', zh: '该二维码或邀请码不属于此活动' },
  'not registered': {
    en: 'Only registered participants can check in',
    zh: '仅限已报名的参与者签到',
  },
  'no position': { en: 'Your position is needed to check in here', zh: '该活动签到需要提供你的位置' },
  'no short code': { en: 'Enter the check-in code that is shown at the activity', zh: '请输入活动现场公布的签到码' },
  'wrong short code': { en: 'The check-in code is wrong', zh: '签到码错误' },
  'expired code': { en: 'This code has expired. Scan the screen again', zh: '此码已过期，请重新扫描屏幕' },
}

export function checkInRefused({ reason, distance }: Refused, { radius, maxPerUser }: CheckInPolicy): AppError {
  if (reason === 'over the limit')
    return maxPerUser === 1
      ? badRequest('You have already checked in', '你已签到')
      : badRequest(
          `You have already checked in ${maxPerUser} times, which is the limit`,
          `你已签到 ${maxPerUser} 次，达到上限`,
        )
  if (reason === 'outside')
    return badRequest(
      `You are ${distance} m away: you can check in within ${radius?.meters} m of the activity`,
      `你距离活动地点 ${distance} 米，须在 ${radius?.meters} 米范围内签到`,
    )
  const { en, zh } = SENTENCES[reason]
  return badRequest(en, zh)
}

export const tooManyWrongShortCodes = (wait: number) =>
  limited('Too many wrong check-in codes, try again later', '签到码错误次数过多，请稍后再试', wait)

export const tooManyForWorkbook = (max: number) =>
  badRequest(
    `A workbook has at most ${max} check-ins: select a period by from and to`,
    `单个表格最多包含 ${max} 条签到记录，请用 from 和 to 选择时间段`,
  )
