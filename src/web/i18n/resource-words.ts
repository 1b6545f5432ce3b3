/** Words for the kinds of things that organizations own, by the names that the server counts them under. */

import { things } from './things.ts'
import { textsOf } from './words.ts'

export const resourceWords = textsOf<string>({
  'QR codes': things.qrCode.many,
  activities: things.activity.many,
  'pass templates': things.passTemplate.many,
  assets: things.asset.many,
  'album photos': things.photo.many,
  files: things.file.many,
})
