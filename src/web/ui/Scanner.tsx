/**
 * The camera, which reads codes:
 *
 *     <Scanner onCode={(text) => …} />
 *
 * A code that stays in the picture is reported once. The camera runs while the component is shown.
 */

import { Cameraswitch, FlashlightOff, FlashlightOn, NoPhotography } from '@mui/icons-material'
import { Box, Button, CircularProgress, IconButton, Stack, Tooltip, Typography } from '@mui/material'
import { useEffect, useRef, useState } from 'react'

import { texts, useTexts } from '../i18n/words.ts'
import { prepareReader, readFrame } from './code-reader.ts'
import { IconMenu, MenuEntry } from './MenuButton.tsx'
import { NeedsHttps } from './NeedsHttps.tsx'
import { useCamera } from './use-camera.ts'

const words = texts({
  en: {
    video: 'Picture of the camera',
    hint: 'Point the camera at a code',
    starting: 'Starting the camera',
    choose: 'Choose a camera',
    camera: (n: number) => `Camera ${n}`,
    lightOn: 'Turn the light on',
    lightOff: 'Turn the light off',
    retry: 'Try again',
    notLoaded:
      'The code reader could not be loaded. Check your connection and try again. If that does not help, reload the page.',
    problem: {
      insecure: 'You can choose a picture of the code, or use a handheld scanner.',
      refused:
        'The browser does not let this page use the camera. Allow it in the browser’s settings for this page (the symbol next to the address), then try again.',
      missing: 'No camera was found. Connect one and try again, choose a picture, or use a handheld scanner.',
      busy: 'The camera does not answer. Close other programs that use it, then try again.',
    },
  },
  zh: {
    video: '摄像头画面',
    hint: '将摄像头对准二维码',
    starting: '正在启动摄像头',
    choose: '选择摄像头',
    camera: (n: number) => `摄像头 ${n}`,
    lightOn: '打开手电筒',
    lightOff: '关闭手电筒',
    retry: '重试',
    notLoaded: '识别组件加载失败，请检查网络后重试；如仍失败，请刷新页面。',
    problem: {
      insecure: '也可以选择一张二维码图片，或使用扫码枪。',
      refused: '浏览器未允许此页面使用摄像头。请点击地址栏旁的图标允许摄像头，然后重试。',
      missing: '未找到摄像头。请连接后重试，也可以选择图片或使用扫码枪。',
      busy: '摄像头没有响应。请关闭其他正在使用它的程序，然后重试。',
    },
  },
})

/** Milliseconds between two readings. */
const PAUSE = 120
/** A code that was out of the picture for so long (milliseconds), and in so many readings, is reported again. */
const FORGET = 1500
const MISSES = 3

/** A code in view. */
interface Seen {
  /** When it was read last. */
  at: number
  /** Readings since then. Slow phones need a second for each. */
  misses: number
}

type Camera = ReturnType<typeof useCamera>

export interface ScannerProps {
  onCode: (text: string) => void
  /** True: the camera stays on, but nothing is read. */
  isPaused?: boolean
  /** True: a code that is still in view after a pause is not reported again. At a gate, the next scan of a pass would use it up. */
  ignoresSame?: boolean
}

export function Scanner({ onCode, isPaused = false, ignoresSame = false }: ScannerProps) {
  const t = useTexts(words)
  const camera = useCamera()
  const [notLoaded, setNotLoaded] = useState(false)
  const [attempt, setAttempt] = useState(0)
  const report = useRef(onCode)
  useEffect(() => {
    report.current = onCode
  }, [onCode])

  const { video, isRunning, problem } = camera
  const seenBefore = useRef(new Map<string, Seen>())
  useEffect(() => {
    if (!isRunning || isPaused) return
    let isGone = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const seen = ignoresSame ? seenBefore.current : new Map<string, Seen>()
    // Nothing was read during the pause.
    for (const one of seen.values()) one.at = performance.now()
    const read = async () => {
      try {
        if (!document.hidden && video.current !== null) {
          const found = await readFrame(video.current)
          if (isGone) return
          const now = performance.now()
          for (const [text, one] of seen) {
            if (!found.includes(text)) one.misses++
            if (one.misses >= MISSES && now - one.at >= FORGET) seen.delete(text)
          }
          for (const text of found) {
            const isNew = !seen.has(text)
            seen.set(text, { at: now, misses: 0 })
            if (!isNew) continue
            // Phones confirm a code by a short vibration, as cash desks do by a sound.
            if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(60)
            report.current(text)
          }
        }
      } catch {
        // A single frame that cannot be read is followed by the next one.
      }
      if (!isGone) timer = setTimeout(() => void read(), PAUSE)
    }
    prepareReader().then(
      () => !isGone && void read(),
      () => !isGone && setNotLoaded(true),
    )
    return () => {
      isGone = true
      clearTimeout(timer)
    }
  }, [isRunning, isPaused, ignoresSame, video, attempt])

  if (problem !== undefined || notLoaded) {
    const retry = () => {
      setNotLoaded(false)
      if (problem === undefined) setAttempt((n) => n + 1)
      else camera.retry()
    }
    return <NoPicture problem={problem} onRetry={retry} />
  }
  return (
    <Box
      sx={{
        position: 'relative',
        overflow: 'hidden',
        borderRadius: 2,
        bgcolor: 'common.black',
        aspectRatio: { xs: '1 / 1', sm: '4 / 3' },
        maxHeight: '65vh',
        width: '100%',
      }}
    >
      <Box
        component="video"
        ref={video}
        muted
        playsInline
        aria-label={t.video}
        sx={{ width: '100%', height: '100%', objectFit: 'cover', display: 'block' }}
      />
      <Box
        aria-hidden="true"
        sx={{
          position: 'absolute',
          inset: 0,
          m: 'auto',
          height: '62%',
          aspectRatio: '1 / 1',
          border: 3,
          borderColor: isPaused ? 'success.light' : 'rgba(255,255,255,0.85)',
          borderRadius: 3,
          boxShadow: '0 0 0 2000px rgba(0,0,0,0.35)',
        }}
      />
      <Controls camera={camera} />
      {!isRunning && (
        <CircularProgress
          aria-label={t.starting}
          sx={{ position: 'absolute', inset: 0, m: 'auto', color: 'common.white' }}
        />
      )}
    </Box>
  )
}

interface NoPictureProps {
  /** Undefined: the reader of codes could not be loaded. */
  problem: Camera['problem']
  onRetry: () => void
}

function NoPicture({ problem, onRetry }: NoPictureProps) {
  const t = useTexts(words)
  return (
    <Stack
      role="alert"
      spacing={2}
      sx={{ alignItems: 'center', textAlign: 'center', p: 3, border: 1, borderColor: 'divider', borderRadius: 2 }}
    >
      <NoPhotography sx={{ fontSize: 48, color: 'text.secondary' }} />
      {problem === 'insecure' && <NeedsHttps what="camera" />}
      <Typography sx={{ maxWidth: 420 }}>{problem === undefined ? t.notLoaded : t.problem[problem]}</Typography>
      {problem !== 'insecure' && (
        <Button variant="outlined" onClick={onRetry}>
          {t.retry}
        </Button>
      )}
    </Stack>
  )
}

/** The line below the picture: the light and the choice of the camera. */
function Controls({ camera }: { camera: Camera }) {
  const t = useTexts(words)
  return (
    <>
      <Stack
        direction="row"
        sx={{
          position: 'absolute',
          insetInline: 0,
          bottom: 0,
          p: 0.5,
          minHeight: 48,
          alignItems: 'center',
          color: 'common.white',
          bgcolor: 'rgba(0,0,0,0.7)',
        }}
      >
        <Typography component="output" variant="body2" sx={{ flex: 1, pl: 1 }}>
          {camera.isRunning ? t.hint : t.starting}
        </Typography>
        {camera.light !== undefined && (
          <Tooltip title={camera.light ? t.lightOff : t.lightOn}>
            <IconButton
              color="inherit"
              aria-label={camera.light ? t.lightOff : t.lightOn}
              onClick={() => camera.setLight(!camera.light)}
            >
              {camera.light ? <FlashlightOff /> : <FlashlightOn />}
            </IconButton>
          </Tooltip>
        )}
        {camera.cameras.length > 1 && (
          <IconMenu label={t.choose} icon={<Cameraswitch />} hasTooltip color="inherit">
            {camera.cameras.map(({ deviceId, label }, i) => (
              <MenuEntry
                key={deviceId}
                text={label || t.camera(i + 1)}
                selected={deviceId === camera.chosen}
                onClick={() => camera.choose(deviceId)}
              />
            ))}
          </IconMenu>
        )}
      </Stack>
    </>
  )
}
