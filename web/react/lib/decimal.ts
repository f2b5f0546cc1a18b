// Numbers by their text: which is more, which is whole, which is a multiple, without a double in between.

/** 0.DIGITS × 10^point; no digits: zero. */
interface Decimal {
  negative: boolean;
  digits: string;
  point: bigint;
}

/** A number as JSON writes it. */
export const NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Thousands set apart by commas, as people write them. */
const GROUPED = /^-?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/;

/** The number that somebody has written, as JSON writes it; undefined: it is none. In many languages a comma begins the fraction: it is none there. */
export function numberIn(typed: string, locale: string): string | undefined {
  const text = typed.trim();
  const plain = GROUPED.test(text) && /^en\b/.test(locale) ? text.replaceAll(",", "") : text;
  return NUMBER.test(plain) ? plain : undefined;
}

function decimal(text: string): Decimal {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = NUMBER.exec(text) ?? [];
  const all = whole + fraction;
  const digits = all.replace(/^0+/, "");
  const point = BigInt(whole.length - (all.length - digits.length)) + BigInt(exponent.replace("+", ""));
  const significant = digits.replace(/0+$/, "");
  return { negative: sign !== "" && significant !== "", digits: significant, point: significant === "" ? 0n : point };
}

/** Less than 0, 0 or more than 0, as `a` is less than `b`, as much, or more. */
export function compare(a: string, b: string): number {
  const [x, y] = [decimal(a), decimal(b)];
  const signOf = ({ negative, digits }: Decimal) => (digits === "" ? 0 : negative ? -1 : 1);
  if (signOf(x) !== signOf(y)) return signOf(x) - signOf(y);
  const order = x.point !== y.point ? (x.point < y.point ? -1 : 1) : x.digits === y.digits ? 0 : x.digits < y.digits ? -1 : 1;
  return x.negative ? -order : order;
}

export function isWhole(text: string): boolean {
  const { digits, point } = decimal(text);
  return digits === "" || BigInt(digits.length) <= point;
}

/** Numbers whose digits are further apart than this are not divided here. */
const APART = 2_000n;

/** Whether `a` is a multiple of `b`; undefined where that takes too long to say. */
export function isMultiple(a: string, b: string): boolean | undefined {
  const [x, y] = [decimal(a), decimal(b)];
  if (x.digits === "" || y.digits === "") return x.digits === "";
  const [endOfX, endOfY] = [x.point - BigInt(x.digits.length), y.point - BigInt(y.digits.length)];
  const end = endOfX < endOfY ? endOfX : endOfY;
  const [shiftX, shiftY] = [endOfX - end, endOfY - end];
  if (shiftX > APART || shiftY > APART || x.digits.length > APART || y.digits.length > APART) return undefined;
  return (BigInt(x.digits) * 10n ** shiftX) % (BigInt(y.digits) * 10n ** shiftY) === 0n;
}
