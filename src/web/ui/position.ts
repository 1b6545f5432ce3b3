/** The position of the device. */

import { useCallback, useState } from 'react'

import { notify } from '../browser/notices.ts'
import { texts, useTexts } from '../i18n/words.ts'

const words = texts({
  en: {
    insecure:
      'Browsers give the position only to pages with https://. Open this server by its https:// address, or enter the place yourself.',
    refused:
      'The browser does not give this page your position. Allow it in the browser’s settings for this page (the symbol next to the address), then try again.',
    unknown: 'Your device does not know where it is. Go outside or turn on its location service, then try again.',
  },
  zh: {
    insecure: '浏览器只允许 https:// 页面获取位置。请用 https:// 地址打开本服务器，或手动填写。',
    refused: '浏览器未允许此页面获取位置。请点击地址栏旁的图标允许定位，然后重试。',
    unknown: '设备无法确定当前位置。请到空旷处或打开定位服务，然后重试。',
  },
})

export interface Position {
  readonly latitude: number
  readonly longitude: number
  /** Metres by which it may be wrong. */
  readonly accuracy: number
}

/** Milliseconds. A phone that has just left a building needs some seconds. */
const PATIENCE = 20_000

/** Browsers give the position to secure pages only. */
export const hasPosition = (): boolean => globalThis.isSecureContext && 'geolocation' in navigator

export interface PositionFinder {
  /** Undefined if there is no position. A notice says why. */
  readonly find: () => Promise<Position | undefined>
  readonly isBusy: boolean
}

export function usePosition(): PositionFinder {
  const t = useTexts(words)
  const [isBusy, setBusy] = useState(false)
  const find = useCallback(async () => {
    setBusy(true)
    try {
      return await currentPosition()
    } catch (error) {
      notify(t[error as Problem], 'warning')
      return undefined
    } finally {
      setBusy(false)
    }
  }, [t])
  return { find, isBusy }
}

type Problem = 'insecure' | 'refused' | 'unknown'

/** Six decimals, 11 cm, for inputs and requests: a device gives more digits than it knows. @throws Problem */
const currentPosition = (): Promise<Position> =>
  new Promise((resolve, reject: (problem: Problem) => void) => {
    // Browsers ask the user on secure pages only; on others the error would be that of a refusal.
    if (!hasPosition()) return reject('insecure')
    navigator.geolocation.getCurrentPosition(
      ({ coords: { latitude, longitude, accuracy } }) =>
        resolve({ latitude: rounded(latitude), longitude: rounded(longitude), accuracy }),
      ({ code, PERMISSION_DENIED }) => reject(code === PERMISSION_DENIED ? 'refused' : 'unknown'),
      { enableHighAccuracy: true, timeout: PATIENCE },
    )
  })

const rounded = (degrees: number): number => Number(degrees.toFixed(6))
