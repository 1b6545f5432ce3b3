import { unavailable } from '#http/errors.ts'
import type { Localized } from '#lib/localized.ts'
import type { Condition } from '#lib/qr/design/conditions.ts'
import { LEAST_CONTRAST, LEAST_MARGIN, LEAST_SPARE, type ProblemCode } from '#lib/qr/design/index.ts'

/** Seconds. A check takes less than half of one. */
const RETRY_AFTER = 5

export const tooManyChecks = () =>
  unavailable('Too many designs are being checked', '正在检查的外观过多', { retryAfter: RETRY_AFTER })

/** Each continues a sentence that begins with the field. */
export const PROBLEM_TEXTS: Readonly<Record<Exclude<ProblemCode, 'UNREADABLE'>, Localized>> = {
  CONTRAST: {
    en: `needs more contrast to the background: at least ${LEAST_CONTRAST} to 1`,
    zh: `与背景的对比度不足，至少为 ${LEAST_CONTRAST}:1`,
  },
  INVERTED: { en: 'must be darker than the background', zh: '必须比背景颜色更深' },
  QUIET_ZONE: { en: `must be at least ${LEAST_MARGIN} modules`, zh: `至少为 ${LEAST_MARGIN} 个模块` },
  LEVEL: {
    en: 'must be Q or H with a logo, which covers a part of the code',
    zh: '有徽标时须为 Q 或 H，因为徽标会遮住部分二维码',
  },
  LOGO_TOO_LARGE: {
    en: `is too large for this content: less than ${LEAST_SPARE} % of the error correction is left`,
    zh: `对此内容过大：剩余纠错能力不足 ${LEAST_SPARE}%`,
  },
}

const CONDITION_TEXTS: Readonly<Record<Condition, Localized>> = {
  LARGE: { en: 'from near', zh: '近距离' },
  MEDIUM: { en: 'from some distance', zh: '中等距离' },
  SMALL: { en: 'from far away', zh: '远距离' },
  BLURRED: { en: 'if the camera is out of focus', zh: '对焦不准时' },
  TURNED: { en: 'if the camera is turned', zh: '镜头倾斜时' },
  PALE: { en: 'in poor light', zh: '光线不足时' },
  NOISY: { en: 'with the noise of a camera', zh: '画面有噪点时' },
}

export const unreadable = (condition: Condition): Localized => ({
  en: `makes a code that cannot be read ${CONDITION_TEXTS[condition].en}`,
  zh: `生成的二维码在${CONDITION_TEXTS[condition].zh}无法识别`,
})

export const tooLongFor = (level: string): Localized => ({
  en: `cannot hold this content: it is too long for level ${level}`,
  zh: `无法容纳此内容：对纠错级别 ${level} 而言过长`,
})
