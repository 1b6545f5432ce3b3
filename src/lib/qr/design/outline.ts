/** Paths of modules, in the unit of a module. */

/** Commands of a path: begin, line, cubic curve, close. Coordinates as in SVG, downwards. */
export type Command =
  readonly ['M' | 'L', number, number] | readonly ['C', number, number, number, number, number, number] | readonly ['Z']
export type Path = Command[]

/** The control points of a quarter of a circle, by its radius. */
const QUARTER = 0.5523

/** Right, down, left, up. */
const DX = [1, 0, -1, 0] as const
const DY = [0, 1, 0, -1] as const

/**
 * The outline of the dark modules of a square of `side`, clockwise, and the outlines of the holes the other way round. There is no line
 * between two dark modules, so no viewer can show one. `radius`: of the corners that point outwards, at most 0.5.
 */
export function outline(dark: Uint8Array, side: number, radius: number): Path {
  const path: Path = []
  const points = side + 1
  const isDark = (x: number, y: number): boolean => x >= 0 && y >= 0 && x < side && y < side && dark[y * side + x] === 1
  /** By the point where it begins: a bit for each direction with an edge that is not in the path yet. Dark is on its right. */
  const edges = new Uint8Array(points * points)
  for (let y = 0; y < points; y++)
    for (let x = 0; x < points; x++) {
      const [a, b, c, d] = [isDark(x - 1, y - 1), isDark(x, y - 1), isDark(x - 1, y), isDark(x, y)]
      edges[y * points + x] = (d && !b ? 1 : 0) | (c && !d ? 2 : 0) | (a && !c ? 4 : 0) | (b && !a ? 8 : 0)
    }
  for (let start = 0; start < edges.length; start++)
    // The first edge to the right in reading order always begins at a corner.
    while ((edges[start]! & 1) === 1) follow(start)
  return path

  function follow(start: number): void {
    let [x, y] = [start % points, Math.floor(start / points)]
    let direction = 0
    let isFirst = true
    do {
      edges[y * points + x]! &= ~(1 << direction)
      x += DX[direction]!
      y += DY[direction]!
      // Right, straight on, left: modules that touch at a corner only are not joined.
      const turn = [1, 0, 3].find((by) => (edges[y * points + x]! >> ((direction + by) & 3)) & 1)
      const next = turn === undefined ? 0 : (direction + turn) & 3
      if (next !== direction) {
        corner(x, y, direction, next, isFirst)
        isFirst = false
      }
      direction = next
    } while (y * points + x !== start || (edges[start]! & (1 << direction)) !== 0)
    path.push(['Z'])
  }

  function corner(x: number, y: number, from: number, to: number, isFirst: boolean): void {
    const isConvex = ((from + 1) & 3) === to
    if (radius === 0 || !isConvex) {
      path.push([isFirst ? 'M' : 'L', x, y])
      return
    }
    const [fx, fy, tx, ty] = [DX[from]! * radius, DY[from]! * radius, DX[to]! * radius, DY[to]! * radius]
    path.push([isFirst ? 'M' : 'L', x - fx, y - fy])
    const rest = 1 - QUARTER
    path.push(['C', x - fx * rest, y - fy * rest, x + tx * rest, y + ty * rest, x + tx, y + ty])
  }
}

/** A rectangle with round corners; with a radius of half its side, a circle. `isHole`: the other way round. */
export function roundedSquare(x: number, y: number, side: number, radius: number, isHole = false): Path {
  return roundedBox(x, y, side, side, radius, isHole)
}

export function roundedBox(x: number, y: number, width: number, height: number, radius: number, isHole = false): Path {
  const path: Path = []
  const corners = [
    [x, y],
    [x + width, y],
    [x + width, y + height],
    [x, y + height],
  ] as const
  const order = isHole ? [3, 2, 1, 0] : [0, 1, 2, 3]
  for (const [i, nth] of order.entries()) {
    const [cx, cy] = corners[nth]!
    const [px, py] = corners[order[(i + 3) % 4]!]!
    const [nx, ny] = corners[order[(i + 1) % 4]!]!
    const [fx, fy] = [Math.sign(px - cx) * radius, Math.sign(py - cy) * radius]
    const [tx, ty] = [Math.sign(nx - cx) * radius, Math.sign(ny - cy) * radius]
    path.push([i === 0 ? 'M' : 'L', cx + fx, cy + fy])
    const rest = 1 - QUARTER
    if (radius > 0) path.push(['C', cx + fx * rest, cy + fy * rest, cx + tx * rest, cy + ty * rest, cx + tx, cy + ty])
  }
  path.push(['Z'])
  return path
}
