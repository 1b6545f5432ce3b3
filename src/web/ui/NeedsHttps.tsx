/**
 * One line where a page that was opened by plain http lacks the camera, the microphone, the position or notifications: they need https, and this is the way there.
 * The link leads to the pages about trust of a server with its own authority, to the https address if there is one, or to the page on which a
 * system administrator sets it up.
 */

import { Link as MuiLink, Typography } from '@mui/material'
import { Link } from 'react-router'

import { useCall } from '../api/hooks.ts'
import type { Server } from '../api/types.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { useMay } from '../session/session.ts'

const words = texts({
  en: {
    needs: {
      camera: 'The camera needs https',
      microphone: 'The microphone needs https',
      position: 'The position needs https',
      notifications: 'Notifications need https',
    },
    setUp: 'set it up',
    open: 'open the https address',
    ask: 'ask your administrator',
    colon: ': ',
    end: '.',
  },
  zh: {
    needs: {
      camera: '使用摄像头需要 https',
      microphone: '使用麦克风需要 https',
      position: '获取位置需要 https',
      notifications: '通知需要 https',
    },
    setUp: '进行设置',
    open: '打开 https 地址',
    ask: '请联系管理员',
    colon: '：',
    end: '。',
  },
})

export function NeedsHttps({ what }: { what: 'camera' | 'microphone' | 'position' | 'notifications' }) {
  const t = useTexts(words)
  const may = useMay()
  const { data } = useCall('server.get')
  const way = ({ trustUrl, publicUrl }: Server) => {
    if (trustUrl !== null)
      return (
        <MuiLink href={trustUrl} underline="always">
          {t.setUp}
        </MuiLink>
      )
    if (publicUrl.startsWith('https:'))
      return (
        <MuiLink href={publicUrl + location.pathname} underline="always">
          {t.open}
        </MuiLink>
      )
    if (!may('server.mail.update', null)) return t.ask
    return (
      <MuiLink component={Link} to="/admin/address" underline="always">
        {t.setUp}
      </MuiLink>
    )
  }
  return (
    <Typography variant="body2" component="span" role="note">
      {t.needs[what]}
      {data !== undefined && t.colon}
      {data !== undefined && way(data)}
      {t.end}
    </Typography>
  )
}
