/** Files of labels, generated while they are sent. Loads zlib, so it is imported on first use. */

import { uniqueFileNames } from '../file-name.ts'
import { pause } from '../pause.ts'
import { MM } from '../pdf/page.ts'
import { pdfOf, type ShadedPage } from '../pdf/writer.ts'
import { pngDataUri } from '../qr/design/png.ts'
import type { Pixels } from '../qr/design/raster.ts'
import { CSV_START, csvRow } from '../spreadsheets/csv-writer.ts'
import { type ZipEntry, zipOf } from '../zip.ts'
import { loadBitmapFont } from './bitmap-font.ts'
import { Bitmap, bitmapMetrics, dotsOf } from './bitmap.ts'
import { calibrationScene } from './calibration.ts'
import { type Laid, layoutLabel, type Metrics, type Scene } from './layout.ts'
import { labelsPerSheet, type Media, PAPERS, placeOnSheet } from './media.ts'
import type { Dpi, Format, LabelContents, LabelProfile } from './profile.ts'
import { pdfContent, pdfMetrics, type PlacedScene, svgMetrics, svgOf } from './vector.ts'

export interface Label extends LabelContents {
  /** Of its file in an archive, without the extension. */
  readonly name: string
}

export interface Order {
  readonly profile: LabelProfile
  readonly format: Format
  readonly dpi: Dpi
  readonly copies: number
  /** Labels that are already used on the first sheet. */
  readonly skip: number
  readonly title: string
  /** A language tag. */
  readonly language: string
  readonly logo: Pixels | undefined
}

export interface LabelFile {
  readonly pieces: AsyncGenerator<Uint8Array, void, undefined>
  readonly type: string
  readonly extension: string
}

/** How the format measures labels: of the same order, with or without a place. */
export async function metricsOf({ format, dpi }: Pick<Order, 'format' | 'dpi'>): Promise<Metrics> {
  if (format === 'PDF') return pdfMetrics
  return format === 'SVG' ? svgMetrics : bitmapMetrics(dpi, await loadBitmapFont())
}

/** `isSingle`: whether there is one label, which needs no archive. The same order and labels give the same bytes. */
export async function labelFile(order: Order, labels: AsyncIterable<Label>, isSingle: boolean): Promise<LabelFile> {
  const { format, copies } = order
  const metrics = await metricsOf(order)
  if (format === 'PDF') return { pieces: pdf(order, labels, metrics), type: 'application/pdf', extension: 'pdf' }
  if (format === 'ZPL') {
    const draw = await bitmaps(order, metrics)
    const zpl = async function* () {
      for await (const label of labels) {
        yield utf8.encode(draw(label).toZpl(copies))
        await pause()
      }
    }
    return { pieces: zpl(), type: 'text/plain; charset=utf-8', extension: 'zpl' }
  }
  const draw = await pictures(order, metrics)
  const type = format === 'PNG' ? 'image/png' : 'image/svg+xml'
  const extension = format.toLowerCase()
  if (!isSingle) return { pieces: archive(order, labels, draw), type: 'application/zip', extension: 'zip' }
  const one = async function* () {
    for await (const label of labels) yield draw(label)
  }
  return { pieces: one(), type, extension }
}

const utf8 = new TextEncoder()
/** Of all entries of an archive, so that the same labels give the same bytes. */
const ENTRY_TIME = Date.UTC(2000, 0, 1)

type Draw = (label: Label) => Uint8Array

async function* archive(
  { format, copies }: Order,
  labels: AsyncIterable<Label>,
  draw: Draw,
): AsyncGenerator<Uint8Array, void, undefined> {
  const index: string[] = [CSV_START, csvRow(['file', 'content', 'text'])]
  const nameOf = uniqueFileNames(`.${format.toLowerCase()}`)
  async function* entries(): AsyncGenerator<ZipEntry> {
    for await (const label of labels) {
      const data = draw(label)
      for (let copy = 0; copy < copies; copy++) {
        const name = nameOf(label.name)
        index.push(csvRow([name, label.content, label.texts[0] ?? '']))
        yield { name, data, deflate: format === 'SVG' }
      }
      await pause()
    }
    yield { name: 'index.csv', data: utf8.encode(index.join('')), deflate: true }
  }
  yield* zipOf(entries(), ENTRY_TIME)
}

const scaleOf = ({ scaleX, scaleY }: LabelProfile) => ({ x: scaleX, y: scaleY })

async function pictures(order: Order, metrics: Metrics): Promise<Draw> {
  const { profile, format, dpi, logo } = order
  if (format === 'PNG') {
    const draw = await bitmaps(order, metrics)
    return (label) => draw(label).toPng(dpi)
  }
  const href = pngDataUri(logo)
  return (label) => {
    const laid = layoutLabel(profile, label, logo, metrics, scaleOf(profile))
    return utf8.encode(svgOf(laid, placed(profile, laid.scene, { x: 0, y: 0 }), label.texts[0] ?? label.content, href))
  }
}

/** The place of a label whose corner would be here if the printer were not off. */
const placed = (
  { offsetX, offsetY, scaleX, scaleY, rotate }: LabelProfile,
  scene: Scene,
  { x, y }: { readonly x: number; readonly y: number },
): PlacedScene => ({ scene, x: x * scaleX + offsetX, y: y * scaleY + offsetY, isTurned: rotate === 90 })

async function bitmaps({ profile, dpi, logo }: Order, metrics: Metrics): Promise<(label: Label) => Bitmap> {
  const font = await loadBitmapFont()
  return (label) => {
    const { scene, width, height } = layoutLabel(profile, label, logo, metrics, scaleOf(profile))
    const bitmap = new Bitmap(dotsOf(width, dpi), dotsOf(height, dpi))
    const [x, y] = [dotsOf(profile.offsetX, dpi), dotsOf(profile.offsetY, dpi)]
    if (profile.rotate === 0) {
      bitmap.draw(scene, x, y, font, logo)
      return bitmap
    }
    const turned = new Bitmap(scene.width, scene.height)
    turned.draw(scene, 0, 0, font, logo)
    bitmap.drawBitmap(turned.turned(), x, y)
    return bitmap
  }
}

/** Hundredths of a point are 0.004 mm. */
const points = (mm: number): number => Math.round(mm * MM * 100) / 100

async function* pdf(
  order: Order,
  labels: AsyncIterable<Label>,
  metrics: Metrics,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { profile, title, language, logo } = order
  const { paper } = pageSize(profile.media)
  yield* pdfOf(profile.media.type === 'SHEET' ? sheets(order, labels, metrics) : single(order, labels, metrics), {
    title,
    language,
    paper,
    pictures: [logo],
  })
}

/** Of a page of PDF, in millimetres and in points. Tapes have a length for each label. */
function pageSize({ type, width, height, paper = 'A4' }: Media) {
  const [w, h] = type === 'SHEET' ? PAPERS[paper] : [width, height]
  return { width: w, height: h, paper: { width: points(w), height: points(h) } }
}

async function* single(
  { profile, copies, logo }: Order,
  labels: AsyncIterable<Label>,
  metrics: Metrics,
): AsyncGenerator<ShadedPage> {
  for await (const label of labels) {
    const { scene, width, height }: Laid = layoutLabel(profile, label, logo, metrics, scaleOf(profile))
    const content = pdfContent(height, [placed(profile, scene, { x: 0, y: 0 })])
    const page = { content, shadings: [], paper: { width: points(width), height: points(height) } }
    for (let copy = 0; copy < copies; copy++) yield page
    await pause()
  }
}

async function* sheets(
  { profile, copies, skip, logo }: Order,
  labels: AsyncIterable<Label>,
  metrics: Metrics,
): AsyncGenerator<string> {
  const { media } = profile
  const { height } = pageSize(media)
  const most = labelsPerSheet(media)
  for (let page = Math.floor(skip / most); page > 0; page--) yield ''
  let at = skip % most
  let sheet: PlacedScene[] = []
  for await (const label of labels) {
    const { scene } = layoutLabel(profile, label, logo, metrics, scaleOf(profile))
    for (let copy = 0; copy < copies; copy++) {
      sheet.push(placed(profile, scene, placeOnSheet(media, at)))
      if (++at < most) continue
      yield pdfContent(height, sheet)
      sheet = []
      at = 0
    }
    await pause()
  }
  if (sheet.length > 0) yield pdfContent(height, sheet)
}

/** A page for the whole sheet in PDF and SVG, otherwise for a label. */
export async function calibrationFile(order: Omit<Order, 'copies' | 'skip'>): Promise<LabelFile> {
  const { profile, format, dpi, title, language } = order
  const { media } = profile
  const isVector = format === 'PDF' || format === 'SVG'
  const tape = { width: Math.min(100, media.maxLength ?? 100), height: media.width }
  const { width, height } = media.type === 'TAPE' ? tape : isVector ? pageSize(media) : media
  const metrics = await metricsOf(order)
  const scene = calibrationScene(width, height, metrics, scaleOf(profile))
  const place = { scene, x: profile.offsetX, y: profile.offsetY, isTurned: false }
  if (format === 'PDF') {
    const content = async function* () {
      yield pdfContent(height, [place])
    }
    const paper = { width: points(width), height: points(height) }
    return { pieces: pdfOf(content(), { title, language, paper }), type: 'application/pdf', extension: 'pdf' }
  }
  const whole = async function* (bytes: Uint8Array) {
    yield bytes
  }
  if (format === 'SVG') {
    const svg = svgOf({ width, height }, place, title, undefined)
    return { pieces: whole(utf8.encode(svg)), type: 'image/svg+xml', extension: 'svg' }
  }
  const bitmap = new Bitmap(dotsOf(width, dpi), dotsOf(height, dpi))
  bitmap.draw(scene, dotsOf(place.x, dpi), dotsOf(place.y, dpi), await loadBitmapFont())
  return format === 'PNG'
    ? { pieces: whole(bitmap.toPng(dpi)), type: 'image/png', extension: 'png' }
    : { pieces: whole(utf8.encode(bitmap.toZpl(1))), type: 'text/plain; charset=utf-8', extension: 'zpl' }
}
