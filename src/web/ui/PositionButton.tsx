/** Fills the position of the device into a form. The reason why there is none is shown as a notice. */

import { MyLocation } from '@mui/icons-material'
import { Button, type ButtonProps } from '@mui/material'

import { texts, useTexts } from '../i18n/words.ts'
import { NeedsHttps } from './NeedsHttps.tsx'
import { hasPosition, type Position, usePosition } from './position.ts'

const words = texts({ en: { here: 'Use my position' }, zh: { here: '使用当前位置' } })

export interface PositionButtonProps extends Pick<ButtonProps, 'disabled' | 'sx' | 'variant'> {
  onPosition: (position: Position) => void
}

export function PositionButton({ onPosition, disabled, sx, variant }: PositionButtonProps) {
  const t = useTexts(words)
  const { find, isBusy } = usePosition()
  if (!hasPosition()) return <NeedsHttps what="position" />
  const fill = async () => {
    const found = await find()
    if (found !== undefined) onPosition(found)
  }
  return (
    <Button
      startIcon={<MyLocation />}
      loading={isBusy}
      loadingPosition="start"
      onClick={() => void fill()}
      disabled={disabled ?? false}
      {...(sx !== undefined && { sx })}
      {...(variant !== undefined && { variant })}
    >
      {t.here}
    </Button>
  )
}
