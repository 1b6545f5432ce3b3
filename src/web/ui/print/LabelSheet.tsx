/** One sheet of labels, on the screen as wide as its place, on paper in millimetres. */

import { Box } from '@mui/material'

import { QrPicture } from '../QrPicture.tsx'
import { GRIDS, type Label, labelSize, PAPERS, type Sheet } from './sheet.ts'

export interface LabelSheetProps {
  /** Undefined stays empty. */
  labels: readonly (Label | undefined)[]
  sheet: Sheet
  hasLines: boolean
  /** True: in millimetres. */
  isPaper: boolean
}

/** Millimetres around the content of a label. */
const PADDING = 2.5
/** Millimetres between code and text. */
const GAP = 1.5
/** Height of a line of text in sizes of its font. */
const LINE = 1.25
/** Ratio of width to height from which the text is beside the code. */
const WIDE = 1.5

export function LabelSheet({ labels, sheet, hasLines, isPaper }: LabelSheetProps) {
  const [width, height] = PAPERS[sheet.paper]
  const { columns, rows, border } = GRIDS[sheet.grid]
  // On the screen, the width of the sheet is 100 units of its container.
  const mm = (value: number) => (isPaper ? `${value}mm` : `${(value / width) * 100}cqw`)
  const size = labelSize(sheet)
  const lines = Math.max(...labels.map((label) => label?.lines.filter(Boolean).length ?? 0))
  const hasText = lines > 0
  const isWide = size.width / size.height >= WIDE && hasText
  const inner = { width: size.width - 2 * PADDING, height: size.height - 2 * PADDING }
  const font = Math.max(1.9, Math.min(4.2, size.height * 0.085))
  const side = !hasText
    ? Math.min(inner.width, inner.height)
    : isWide
      ? Math.min(inner.height, inner.width * 0.5)
      : Math.min(inner.width, inner.height * 0.78, inner.height - GAP - lines * font * LINE)
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
        gridTemplateColumns: `repeat(${columns}, ${mm(size.width)})`,
        gridTemplateRows: `repeat(${rows}, ${mm(size.height)})`,
        breakAfter: 'page',
        '&:last-of-type': { breakAfter: 'auto' },
      }}
    >
      {labels.map((label, i) => (
        <Box
          // oxlint-disable-next-line react/no-array-index-key -- the same code may be on several labels
          key={i}
          sx={{
            display: 'flex',
            flexDirection: isWide ? 'row' : 'column',
            alignItems: 'center',
            justifyContent: isWide ? 'flex-start' : 'center',
            gap: mm(GAP),
            p: mm(PADDING),
            overflow: 'hidden',
            outline: hasLines ? '0.2mm dashed #999' : undefined,
            breakInside: 'avoid',
          }}
        >
          {label !== undefined && (
            <>
              <QrPicture
                content={label.content}
                style={label.style}
                url={label.url}
                alt={label.name}
                width={mm(side)}
              />
              {hasText && (
                <Box
                  sx={{
                    minWidth: 0,
                    maxWidth: '100%',
                    flex: isWide ? 1 : undefined,
                    textAlign: isWide ? 'left' : 'center',
                    fontSize: mm(font),
                    lineHeight: LINE,
                    overflowWrap: 'anywhere',
                  }}
                >
                  {label.lines.filter(Boolean).map((line, n) => (
                    <Box
                      // oxlint-disable-next-line react/no-array-index-key -- two lines may have the same text
                      key={n}
                      sx={{ ...(n === 0 ? { fontWeight: 650 } : { fontSize: '0.85em' }), ...clamp(isWide ? 3 : 1) }}
                    >
                      {line}
                    </Box>
                  ))}
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
