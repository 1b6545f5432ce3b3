import { describe, expect, test } from 'bun:test'

import { metricsOf } from '#lib/labels/files.ts'
import { layoutLabel } from '#lib/labels/layout.ts'
import type { LabelProfile } from '#lib/labels/profile.ts'

import { profileOf } from './labels.ts'

const NAME = 'Canon EOS R5 Mark II with lens 24–105 mm and a case for accessories'
const CHINESE = '电动螺丝刀套装（含充电器与备用电池），春季游园会志愿者协调小组专用'
const NUMBER = 'A-000123'

async function laid(
  texts: readonly string[],
  width: number,
  height: number,
  format: 'PDF' | 'PNG',
  more: Partial<LabelProfile> = {},
) {
  const metrics = await metricsOf({ format, dpi: 203 })
  const { scene } = layoutLabel(
    profileOf({ type: 'ROLL', width, height }, more),
    { content: NUMBER, texts },
    undefined,
    metrics,
  )
  const { code } = scene
  for (const { x, y, width: wide, size } of scene.texts) {
    expect(x + wide).toBeLessThanOrEqual(scene.width)
    expect(y).toBeGreaterThanOrEqual(0)
    expect(y + size).toBeLessThanOrEqual(scene.height + 1)
    expect(x >= code!.x + code!.width || y >= code!.y + code!.height).toBe(true)
  }
  return scene.texts
}

describe.each(['PDF', 'PNG'] as const)('long texts in %s', (format) => {
  test.each(['LEFT', 'TOP'] as const)('take the free lines of a label, with the code at %s', async (placement) => {
    for (const name of [NAME, CHINESE]) {
      const lines = await laid([name, NUMBER], 50, 30, format, { placement })
      expect(lines.length).toBeGreaterThan(2)
      expect(
        lines
          .slice(0, -1)
          .map(({ text }) => text)
          .join('')
          .replaceAll(' ', ''),
      ).toBe(name.replaceAll(' ', ''))
      expect(lines.map(({ isBold }) => isBold)).toEqual([...lines.slice(1).map(() => true), false])
      expect(lines.at(-1)!.text).toBe(NUMBER)
      expect(new Set(lines.map(({ size }) => size)).size).toBe(1)
    }
  })

  test('are cut in their last line only, and a short text below stays whole', async () => {
    const lines = await laid([NAME.repeat(4), NUMBER], 40, 20, format)
    const texts = lines.map(({ text }) => text)
    expect(texts.length).toBeGreaterThan(2)
    expect(texts.map((text) => text.endsWith('…'))).toEqual(texts.map((_, i) => i === texts.length - 2))
    expect(texts.at(-1)).toBe(NUMBER)
  })

  test('are broken between words, and no line starts with a closing mark', async () => {
    const words = NAME.split(' ')
    for (let width = 36; width < 60; width++) {
      for (const { text } of await laid([NAME, NUMBER], width, 30, format))
        if (text !== NUMBER && !text.endsWith('…')) for (const word of text.split(' ')) expect(words).toContain(word)
      for (const { text } of await laid([CHINESE], width, 30, format)) expect(text).not.toMatch(/^[），]|（$/)
    }
  })

  test('are broken within a word that is longer than a line', async () => {
    const word = 'Donaudampfschifffahrtsgesellschaftskapitänsmützenhalter'
    const lines = await laid([word], 40, 30, format)
    expect(lines.length).toBeGreaterThan(1)
    expect(lines.map(({ text }) => text).join('')).toBe(word)
  })

  test('are cut after 1,000 characters, and not within one', async () => {
    const texts = await laid([`${'x'.repeat(999)}😀${'y'.repeat(5000)}`], 200, 280, format)
    const all = texts.map(({ text }) => text).join('')
    expect(all).toMatch(/^x{100,999}…$/)
  })

  test('leave a short word whole beside a longer one', async () => {
    const lines = await laid(['Beamer', 'x'.repeat(60)], 30, 20, format)
    expect(lines[0]!.text).toBe('Beamer')
  })
})
