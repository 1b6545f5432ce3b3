/** The earlier public addresses that a server remembers, and the problems of the present one. */

import { MAX_ALIASES, type PartValue } from '#domains/settings/index.ts'
import type { Locale, Localized } from '#lib/localized.ts'
import { normalAddress } from '#lib/own-link.ts'
import { isLoopbackAddress, type ReachProblem, reachProblems } from '#lib/reach.ts'

type Aliases = PartValue<'aliases'>

/**
 * The aliases after the public address has changed: the old one is added, and the new one is removed. An address on the loopback is
 * remembered only if something was printed on it. Of too many, the oldest on which nothing was printed is forgotten, otherwise the oldest.
 *
 * @param now Epoch milliseconds
 * @param printedOn How many codes were printed while an address was the public one
 */
export function aliasesAfter(
  aliases: Aliases,
  oldPublicUrl: string,
  newPublicUrl: string,
  now: number,
  printedOn: (address: string) => number = () => 0,
): Aliases {
  const [before, after] = [normalAddress(oldPublicUrl), normalAddress(newPublicUrl)]
  const kept = aliases.filter(({ origin }) => normalAddress(origin) !== after)
  const isKnown = before === after || kept.some(({ origin }) => normalAddress(origin) === before)
  if (before === undefined || isKnown || (isLoopbackAddress(before) && printedOn(before) === 0)) return kept
  const all = [...kept, { origin: before, since: now }]
  while (all.length > MAX_ALIASES) {
    const unprinted = all.findIndex(({ origin }, i) => i < all.length - 1 && printedOn(origin) === 0)
    all.splice(Math.max(0, unprinted), 1)
  }
  return all
}

const WARNINGS: Readonly<Record<ReachProblem, Localized>> = {
  LOOPBACK: {
    en: 'Only this computer can open the address. Codes that are printed now lead nowhere on other devices.',
    zh: '只有这台计算机能打开该地址。现在打印的二维码在其他设备上无法使用。',
  },
  PRIVATE: {
    en: 'Only devices in the same network can open the address. Codes that are printed now do not work outside of it.',
    zh: '只有同一网络中的设备能打开该地址。现在打印的二维码在网络之外无法使用。',
  },
  SINGLE_LABEL: {
    en: 'The address is a name without a dot, which only devices in the same network know, and not all of those.',
    zh: '该地址是不含点的名称，只有同一网络中的部分设备能识别。',
  },
  PLAIN_HTTP: {
    en: 'The address begins with http. Browsers then allow neither camera, position nor notifications, and others in the network can read along.',
    zh: '该地址以 http 开头：浏览器不允许使用摄像头、定位和通知，网络中的其他人也可能窃听。',
  },
}

export interface ReachWarning {
  readonly code: ReachProblem
  readonly text: string
}

/** The problems of a public address, in words. */
export const reachWarnings = (publicUrl: string, locale: Locale): ReachWarning[] =>
  reachProblems(publicUrl).map((code) => ({ code, text: WARNINGS[code][locale] }))
