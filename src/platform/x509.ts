/** The library for X.509 certificates. Loading it takes 20 to 60 ms, and few servers need it. */

export async function loadX509() {
  // Before the other, whose classes are described by decorators. Imports at the top of a file do not keep this order in the executable.
  await import('reflect-metadata')
  return import('@peculiar/x509')
}
