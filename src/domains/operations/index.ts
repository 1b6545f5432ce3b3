/** What the person who runs the server looks at: health, version, metrics. */
export { operationsEndpoints as endpoints } from './endpoints.ts'
