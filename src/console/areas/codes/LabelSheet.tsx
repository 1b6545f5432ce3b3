/** One sheet of labels, on the screen as wide as its place, on paper in millimetres. */

import { Box } from '@mui/material'

import type { QrCode } from '../../api/types.ts'
import { QrPicture } from '../../ui/QrPicture.tsx'
import { contentOfPicture } from './CodeRow.tsx'
import { summaryOf } from './content.ts'
import { type Caption, GRIDS, labelSize, PAPERS, type Sheet } from './sheet.ts'

export interface LabelSheetProps {
  labels: readonly (QrCode | undefined)[]
  sheet: Sheet
  caption: Caption
  hasLines: boolean
  /** True: in millimetres. */
  isPaper: boolean
}

/** Millimetres around the content of a label. */
const PADDING = 2.5
/** Ratio of width to height from which the text is beside the code. */
const WIDE = 1.5

export function LabelSheet({ labels, sheet, caption, hasLines, isPaper }: LabelSheetProps) {
  const [width, height] = PAPERS[sheet.paper]
  const { columns, rows, border } = GRIDS[sheet.grid]
  // On the screen, the width of the sheet is 100 units of its container.
  const mm = (value: number) => (isPaper ? `${value}mm` : `${(value / width) * 100}cqw`)
  const label = labelSize(sheet)
  const isWide = label.width / label.height >= WIDE && caption !== 'none'
  const inner = { width: label.width - 2 * PADDING, height: label.height - 2 * PADDING }
  const side =
    caption === 'none'
      ? Math.min(inner.width, inner.height)
      : isWide
        ? Math.min(inner.height, inner.width * 0.5)
        : Math.min(inner.width, inner.height * 0.78)
  const font = Math.max(1.9, Math.min(4.2, label.height * 0.085))
  return (
    <Box
      sx={{
        // Paper is white in both themes.
        bgcolor: '#fff',
        color: '#000',
        width: mm(width),
        // Half a millimetre less, as browsers otherwise add an empty page after rounding.
        height: mm(height - (isPaper ? 0.5 : 0)),
        px: mm(border[0]),
        py: mm(border[1]),
        overflow: 'hidden',
        boxSizing: 'border-box',
        display: 'grid',
        gridTemplateColumns: `repeat(${columns}, ${mm(label.width)})`,
        gridTemplateRows: `repeat(${rows}, ${mm(label.height)})`,
        breakAfter: 'page',
        '&:last-of-type': { breakAfter: 'auto' },
      }}
    >
      {labels.map((code, i) => (
        <Box
          // oxlint-disable-next-line react/no-array-index-key -- the same code may be on several labels
          key={i}
          sx={{
            display: 'flex',
            flexDirection: isWide ? 'row' : 'column',
            alignItems: 'center',
            justifyContent: isWide ? 'flex-start' : 'center',
            gap: mm(1.5),
            p: mm(PADDING),
            overflow: 'hidden',
            outline: hasLines ? '0.2mm dashed #999' : undefined,
            breakInside: 'avoid',
          }}
        >
          {code !== undefined && (
            <>
              <QrPicture content={contentOfPicture(code)} style={code.style} alt={code.name} width={mm(side)} />
              {caption !== 'none' && (
                <Box
                  sx={{
                    minWidth: 0,
                    maxWidth: '100%',
                    flex: isWide ? 1 : undefined,
                    textAlign: isWide ? 'left' : 'center',
                    fontSize: mm(font),
                    lineHeight: 1.25,
                    overflowWrap: 'anywhere',
                  }}
                >
                  {caption !== 'content' && <Box sx={{ fontWeight: 650, ...clamp(isWide ? 3 : 1) }}>{code.name}</Box>}
                  {caption !== 'name' && (
                    <Box sx={{ fontSize: '0.85em', ...clamp(isWide ? 3 : 1) }}>{summaryOf(code.content)}</Box>
                  )}
                </Box>
              )}
            </>
          )}
        </Box>
      ))}
    </Box>
  )
}

/** Cuts a text after some lines. */
const clamp = (lines: number) => ({
  display: '-webkit-box',
  WebkitBoxOrient: 'vertical',
  WebkitLineClamp: lines,
  overflow: 'hidden',
})
