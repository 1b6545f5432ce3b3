import { png } from '../files/helpers.ts'

/** The body of `server.logo.update`; by default with a picture that differs from all others. */
export function logoForm(bytes: Uint8Array = png(128), name = 'logo.png'): FormData {
  const form = new FormData()
  form.set('file', new File([bytes as Uint8Array<ArrayBuffer>], name))
  return form
}
