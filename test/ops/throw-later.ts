/**
 * Preloaded into a server by tests (`bun --preload`): each of two signals provokes an error that no code of the server catches.
 */

process.on('SIGUSR1', () => {
  throw new Error('provoked exception')
})
process.on('SIGUSR2', () => {
  void Promise.reject(new Error('provoked rejection'))
})
