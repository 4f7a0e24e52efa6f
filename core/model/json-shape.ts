// Whether a value of JSON is of a shape: for what anybody may have written, before it is believed.

import { isObject, type Json } from './json.ts';

export type Shape = (value: Json) => boolean;
export const text: Shape = (value) => typeof value === 'string';
export const number: Shape = (value) => typeof value === 'number' && Number.isFinite(value);
export const truth: Shape = (value) => typeof value === 'boolean';
export const any: Shape = () => true;
export const orNull =
  (shape: Shape): Shape =>
  (value) =>
    value === null || shape(value);
export const listOf =
  (shape: Shape): Shape =>
  (value) =>
    Array.isArray(value) && value.every(shape);
export const recordOf =
  (shape: Shape): Shape =>
  (value) =>
    isObject(value) && Object.values(value).every(shape);
/** `later`: keys that an earlier version did not write. */
export const withKeys = (
  keys: Readonly<Record<string, Shape>>,
  later: Readonly<Record<string, Shape>> = {},
): Shape => {
  const shapes = Object.entries(keys);
  const laterShapes = Object.entries(later);
  return (value) =>
    isObject(value) &&
    shapes.every(([key, shape]) => Object.hasOwn(value, key) && shape(value[key]!)) &&
    laterShapes.every(([key, shape]) => !Object.hasOwn(value, key) || shape(value[key]!));
};
