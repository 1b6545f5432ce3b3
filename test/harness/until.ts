/** Polls for conditions that no event announces. */

/**
 * Milliseconds. Less than the ten minutes that a test may take, so that the error names the condition; otherwise as long as possible, because
 * a busy machine must not fail a test.
 */
export const PATIENCE_MS = 300_000

/** Polls until `holds` does. `what` completes the sentence "waited in vain until …". */
export async function until(holds: () => boolean | Promise<boolean>, what: string = holds.toString()): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; !(await holds()); await Bun.sleep(5))
    if (performance.now() > end) throw new Error(`waited in vain until ${what}`)
}
