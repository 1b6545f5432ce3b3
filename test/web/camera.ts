/** Cameras for pages that scan. */

import type { Page } from 'playwright-core'

import { encodeQr } from '#lib/qr/index.ts'

import { until } from './browser.ts'

export const CAMERA_WIDTH = 640
export const CAMERA_HEIGHT = 480

/** Arguments with which Chromium has a camera, may use it, and plays a file of `videoOf`, which it opens with the camera. */
export const cameraOf = (file: string): string[] => [
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
  `--use-file-for-fake-video-capture=${file}`,
]

/** A second of video (YUV4MPEG2) that shows a grey picture: one byte for each pixel. */
export function videoOf(luma: Uint8Array): Uint8Array {
  const frame = Buffer.concat([Buffer.from('FRAME\n'), luma, new Uint8Array(luma.length / 2).fill(128)])
  const header = Buffer.from(`YUV4MPEG2 W${CAMERA_WIDTH} H${CAMERA_HEIGHT} F10:1 Ip A1:1 C420jpeg\n`)
  return Buffer.concat([header, ...Array.from({ length: 10 }, () => frame)])
}

/**
 * A camera that shows what the test gives it: a canvas, since Chromium's own fake camera plays a file by the clock, and how many readings
 * fit into its seconds depends on the machine. `readings` counts the frames that the reader has looked at.
 */
const CAMERA = `{
  const canvas = document.createElement('canvas')
  canvas.width = 640
  canvas.height = 480
  const context = canvas.getContext('2d')
  let rows = []
  // A stream has a frame for each change of its canvas only.
  setInterval(() => {
    context.fillStyle = '#ddd'
    context.fillRect(0, 0, 640, 480)
    const side = Math.floor(400 / (rows.length || 1))
    context.fillStyle = '#000'
    rows.forEach((row, y) => {
      ;[...row].forEach((module, x) => {
        if (module === '1') context.fillRect(120 + x * side, 40 + y * side, side, side)
      })
    })
  }, 100)
  globalThis.showModules = (next) => (rows = next)
  globalThis.readings = 0
  const prototype = CanvasRenderingContext2D.prototype
  const read = prototype.getImageData
  prototype.getImageData = function (...box) {
    globalThis.readings++
    return read.apply(this, box)
  }
  navigator.mediaDevices.getUserMedia = () => Promise.resolve(canvas.captureStream())
}`

export async function withCamera(
  page: Page,
): Promise<{ show: (content: string) => Promise<void>; wait: () => Promise<void> }> {
  await page.addInitScript(CAMERA)
  return {
    async show(content) {
      const { side, modules } = encodeQr(content, 'L')
      const rows = Array.from({ length: side }, (_, y) => modules.subarray(y * side, (y + 1) * side).join(''))
      await page.evaluate(`showModules(${JSON.stringify(rows)})`)
    },
    async wait() {
      const enough = await page.evaluate<number>('readings + 6')
      await until(page, `globalThis.readings > ${enough}`)
    },
  }
}
