/** Copies texts to the clipboard, and says whether it worked. */

import { notify } from '../browser/notices.ts'
import { texts, useTexts } from '../i18n/words.ts'

const words = texts({
  en: { copied: 'Copied.', failed: 'The browser did not allow copying. Select the text and copy it by hand.' },
  zh: { copied: '已复制。', failed: '浏览器不允许复制，请手动选中文字复制。' },
})

/** `const copy = useCopy(); copy('text')` */
export function useCopy(): (text: string) => void {
  const t = useTexts(words)
  return (text) => {
    // Pages without HTTPS have no clipboard.
    const copying = globalThis.isSecureContext ? navigator.clipboard.writeText(text) : copyOld(text)
    copying.then(
      () => notify(t.copied, 'success'),
      () => notify(t.failed, 'warning'),
    )
  }
}

/** The way before the Clipboard API, which browsers also allow without HTTPS. */
async function copyOld(text: string): Promise<void> {
  const focused = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  // Dialogs and menus take the focus back from everything outside of them, and nothing would be selected.
  const layers = document.querySelectorAll('[role=dialog], [role=menu]')
  ;(layers[layers.length - 1] ?? document.body).append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus()
  if (!isCopied) throw new Error('The browser refused to copy')
}
