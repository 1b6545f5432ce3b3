/** Restarts the server, if its service or container starts it again, and loads the page when it answers. */

import { Button } from '@mui/material'
import { useState } from 'react'

import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ActionDialog } from '../../ui/ActionDialog.tsx'
import { Restarting } from '../../ui/Restarting.tsx'

const words = texts({
  en: {
    restart: 'Restart',
    question: 'Restart the server?',
    text: 'It answers again after some seconds. Uploads and messages under way are finished or sent again. With several processes, the one that answers restarts.',
    title: 'The server restarts',
    wait: 'This page loads again by itself.',
  },
  zh: {
    restart: '重启',
    question: '重启服务器？',
    text: '几秒后恢复响应。正在进行的上传和消息会完成或重新发送。有多个进程时，只重启处理此请求的进程。',
    title: '服务器正在重启',
    wait: '页面会自动重新加载。',
  },
})

export function RestartButton() {
  const t = useTexts(words)
  const may = useMay()
  const [state, setState] = useState<'asking' | 'restarting'>()
  if (!may('server.restart')) return null
  return (
    <>
      <Button variant="outlined" onClick={() => setState('asking')}>
        {t.restart}
      </Button>
      {state === 'asking' && (
        <ActionDialog
          operation="server.restart"
          input={{}}
          title={t.question}
          text={t.text}
          action={t.restart}
          onClose={() => setState((now) => (now === 'asking' ? undefined : now))}
          onDone={() => setState('restarting')}
        />
      )}
      {state === 'restarting' && <Restarting title={t.title} text={t.wait} to="/console/admin/server" />}
    </>
  )
}
