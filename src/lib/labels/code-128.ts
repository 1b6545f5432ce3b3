/** Code 128 (ISO/IEC 15417) of ASCII texts, in the code sets B and C. */

/** Widths of the bars and spaces of each symbol character; 103 to 105 start the code sets A to C, 106 stops. */
const WIDTHS =
  '212222222122222221121223121322131222122213122312132212221213221312231212112232122132122231113222123122123221223211221132' +
  '221231213212223112312131311222321122321221312212322112322211212123212321232121111323131123131321112313132113132311211313' +
  '231113231311112133112331132131113123113321133121313121211331231131213113213311213131311123311321331121312113312311332111' +
  '314111221411431111111224111422121124121421141122141221112214112412122114122411142112142211241211221114413111241112134111' +
  '111242121142121241114212124112124211411212421112421211212141214121412121111143111341131141114113114311411113411311113141' +
  '114131311141411131211412211214211232'
const STOP = '2331112'
const [START_B, START_C, TO_B, TO_C] = [104, 105, 100, 99]
const MODULUS = 103

/** The modules of the code without its quiet zone, 1 = bar. Undefined for texts that have characters outside of printable ASCII. */
export function code128(text: string): Uint8Array | undefined {
  if (!/^[ -~]+$/.test(text)) return undefined
  const values = valuesOf(text)
  const sum = values.reduce((total, value, i) => total + value * Math.max(1, i), 0)
  const widths = [...values, sum % MODULUS].map((value) => WIDTHS.slice(value * 6, value * 6 + 6)).join('') + STOP
  return Uint8Array.from([...widths].flatMap((width, i) => Array.from({ length: Number(width) }, () => (i + 1) % 2)))
}

type CodeSet = 'B' | 'C'
interface Way {
  readonly values: readonly number[]
  readonly set: CodeSet
}

/** The start character and the characters of the shortest code: found from the left, as the shortest way that ends in each code set. */
function valuesOf(text: string): readonly number[] {
  const ways: Partial<Record<CodeSet, Way>>[] = [
    { B: { values: [START_B], set: 'B' }, C: { values: [START_C], set: 'C' } },
  ]
  const keep = (at: number, way: Way): void => {
    const there = (ways[at] ??= {})
    if (way.values.length < (there[way.set]?.values.length ?? Infinity)) there[way.set] = way
  }
  for (let at = 0; at < text.length; at++) {
    const there = ways[at] ?? {}
    const { B, C } = there
    const inB = B ?? { values: [...C!.values, TO_B], set: 'B' as const }
    const toB = C && C.values.length + 1 < inB.values.length && at > 0 ? [...C.values, TO_B] : inB.values
    keep(at + 1, { values: [...toB, text.charCodeAt(at) - 32], set: 'B' })
    if (!/^\d\d/.test(text.slice(at, at + 2))) continue
    const inC = C ?? { values: [...B!.values, TO_C], set: 'C' as const }
    const toC = B && B.values.length + 1 < inC.values.length && at > 0 ? [...B.values, TO_C] : inC.values
    keep(at + 2, { values: [...toC, Number(text.slice(at, at + 2))], set: 'C' })
  }
  const { B, C } = ways[text.length]!
  return C !== undefined && C.values.length < (B?.values.length ?? Infinity) ? C.values : B!.values
}
