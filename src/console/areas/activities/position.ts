/** The position of the device. */

export interface Position {
  readonly latitude: number
  readonly longitude: number
  /** Metres by which it may be wrong. */
  readonly accuracy: number
}

/** Milliseconds. A phone that has just left a building needs some seconds. */
const PATIENCE = 15_000

/** Undefined if the user refuses, or the device does not know it. Browsers give it to secure pages only. */
export const findPosition = (): Promise<Position | undefined> =>
  new Promise((resolve) => {
    if (!('geolocation' in navigator)) return resolve(undefined)
    navigator.geolocation.getCurrentPosition(
      ({ coords: { latitude, longitude, accuracy } }) => resolve({ latitude, longitude, accuracy }),
      () => resolve(undefined),
      { enableHighAccuracy: true, timeout: PATIENCE },
    )
  })
