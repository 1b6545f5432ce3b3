/** Tiles like those of the logo. The same text always has the same pattern. */

import { Box } from '@mui/material'
import type { ReactNode } from 'react'

import { hashOf } from './hash.ts'

const COLUMNS = 13
const ROWS = 5
/** From one tile to the next; a tile is 10 wide. */
const STEP = 12

/** A field of tiles with room for an icon in its middle. */
export function Mosaic({ seed, children }: { seed: string; children: ReactNode }) {
  return (
    <Box sx={{ display: 'grid', placeItems: 'center', '& > *': { gridArea: '1 / 1' } }}>
      <Box
        component="svg"
        aria-hidden
        viewBox={`0 0 ${COLUMNS * STEP - 2} ${ROWS * STEP - 2}`}
        sx={{ width: 286, maxWidth: '100%', color: 'primary.main', fill: 'currentColor' }}
      >
        {tilesOf(seed).map(({ x, y, opacity }) => (
          <rect key={`${x} ${y}`} x={x * STEP} y={y * STEP} width={10} height={10} rx={3} opacity={opacity} />
        ))}
      </Box>
      {children}
    </Box>
  )
}

/** A square of tiles for a thing without a picture. `size`: pixels. */
export const MosaicCover = ({ seed, size }: { seed: string; size: number }) => (
  <Box
    component="svg"
    aria-hidden
    viewBox="-9 -9 64 64"
    sx={{
      width: size,
      height: size,
      flexShrink: 0,
      borderRadius: 1.5,
      bgcolor: 'background.tint',
      color: 'primary.main',
      fill: 'currentColor',
    }}
  >
    {Array.from({ length: 16 }, (_, tile) => hashOf(`${seed} ${tile}`) >>> 8).map((draw, tile) => (
      <rect
        // oxlint-disable-next-line react/no-array-index-key -- tiles have no other identity
        key={tile}
        x={(tile % 4) * STEP}
        y={Math.floor(tile / 4) * STEP}
        width={10}
        height={10}
        rx={3}
        opacity={[0, 0.15, 0.4, 0.75][draw % 4]}
      />
    ))}
  </Box>
)

/** About half of the tiles; they fade towards the sides, and the middle is free. */
function tilesOf(seed: string): { x: number; y: number; opacity: number }[] {
  const middle = (COLUMNS - 1) / 2
  return Array.from({ length: COLUMNS * ROWS }, (_, index) => ({ x: index % COLUMNS, y: Math.floor(index / COLUMNS) }))
    .filter(({ x, y }) => Math.abs(x - middle) > 1 || y < 1 || y > 3)
    .map((tile) => ({ ...tile, draw: hashOf(`${seed} ${tile.x} ${tile.y}`) >>> 8 }))
    .filter(({ draw }) => draw % 2 === 0)
    .map(({ x, y, draw }) => ({
      x,
      y,
      opacity: (1 - Math.abs(x - middle) / (middle + 1)) * (draw % 3 === 0 ? 0.4 : 0.16),
    }))
}
