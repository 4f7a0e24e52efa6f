import { z } from 'zod';

export const AppView = z.strictObject({
  version: z.string(),
  /** Which host shows this: Electron and its version, or the stand-in and what it can't prove. */
  host: z.string(),
  isStandIn: z.boolean(),
  platform: z.string(),
});
export type AppView = z.infer<typeof AppView>;
