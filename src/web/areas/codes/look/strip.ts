/** Draws the words of a frame with the fonts of this device, because the server has none. */

import type { Strip } from './DesignPicture.tsx'

/** Pixels. The server takes at most 2,400 × 600. */
const FONT_SIZE = 160
const PADDING = 24
const MAX_WIDTH = 2400

/** Undefined for words without anything to see. `color`: that of the words. */
export function drawStrip(text: string, color: string): (Strip & { readonly canvas: HTMLCanvasElement }) | undefined {
  if (text.trim() === '') return undefined
  const canvas = document.createElement('canvas')
  const pen = canvas.getContext('2d')!
  const font = (size: number) => `600 ${size}px system-ui, "Noto Sans", "Noto Sans CJK SC", sans-serif`
  pen.font = font(FONT_SIZE)
  const wished = pen.measureText(text).width + 2 * PADDING
  const size = FONT_SIZE * Math.min(1, MAX_WIDTH / wished)
  pen.font = font(size)
  canvas.width = Math.min(MAX_WIDTH, Math.ceil(pen.measureText(text).width + 2 * PADDING))
  // Room for letters with marks above and below, such as Arabic and Thai ones.
  canvas.height = Math.ceil(size * 1.6)
  // A canvas that gets another size forgets its font.
  pen.font = font(size)
  pen.fillStyle = color
  pen.textAlign = 'center'
  pen.textBaseline = 'middle'
  pen.fillText(text, canvas.width / 2, canvas.height / 2)
  return { canvas, url: canvas.toDataURL('image/png'), width: canvas.width, height: canvas.height }
}

/** The drawn words as a file. */
export async function stripFile({ canvas }: { readonly canvas: HTMLCanvasElement }): Promise<File> {
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  return new File([blob!], 'words.png', { type: 'image/png' })
}
