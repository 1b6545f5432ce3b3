/** Warns above everything that is printed or sent with an address of the server, if other devices cannot open that address. */

import { Alert, type AlertProps } from '@mui/material'

import { texts, useTexts } from '../i18n/words.ts'

const words = texts({
  en: {
    text: 'Other devices cannot open this server yet: its links and codes lead to localhost. Before codes are printed, an administrator must set TESSERA_HOST and TESSERA_PUBLIC_URL and start the server again.',
  },
  zh: {
    text: '其他设备还无法打开此服务器：链接和二维码都指向本机（localhost）。打印二维码之前，需由管理员设置 TESSERA_HOST 和 TESSERA_PUBLIC_URL 并重启服务器。',
  },
})

/** Addresses that each device understands as itself. */
const LOCAL = /^https?:\/\/(localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])(?=[:/]|$)/

/** For pages of administrators, which ask the server whether its address is local. */
export const useLocalAddressText = (): string => useTexts(words).text

/** `urls`: the addresses as the server answers them, such as the `publicUrl` of a row. */
export function LocalAddressWarning({ urls, ...props }: { urls: readonly string[] } & Pick<AlertProps, 'sx'>) {
  const text = useLocalAddressText()
  if (!urls.some((url) => LOCAL.test(url))) return null
  return (
    <Alert severity="warning" {...props}>
      {text}
    </Alert>
  )
}
