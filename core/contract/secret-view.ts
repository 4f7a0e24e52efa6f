import { z } from 'zod';

/** All of a secret but its value, which crosses to no screen. */
export const SecretView = z.strictObject({
  name: z.string(),
  source: z.enum(['variable', 'file', 'keychain', 'literal']),
  /** The same for a person, with the name of the variable, file or entry. */
  from: z.string(),
  status: z.enum(['active', 'expired', 'revoked', 'missing']),
  expiresAt: z.string().nullable(),
  rotatedAt: z.string().nullable(),
  lastReadAt: z.string().nullable(),
  /** It was rotated in a host that is gone; what is given is what its source had at the start. */
  isRotationLost: z.boolean(),
});
export type SecretView = z.infer<typeof SecretView>;
