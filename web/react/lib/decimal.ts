// Numbers by their text: which is more, which is whole, which is a multiple, without a double in between.

/** 0.DIGITS × 10^point; no digits: zero. */
interface Decimal {
  negative: boolean;
  digits: string;
  point: bigint;
}

/** A number as JSON writes it. */
export const NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Thousands set apart by points or commas, with a fraction behind the other sign. */
const GROUPED = /^(-?[1-9]\d{0,2})([.,])(\d{3}(?:\2\d{3})*)(?:(?!\2)[.,](\d+))?$/;

/** One sign with a fraction behind it. */
const FRACTION = /^(-?)(\d*)([.,])(\d+)([eE][+-]?\d+)?$/;

/** The number that somebody has written, as JSON writes it; undefined: it is none. Points and commas are read as they are in the language, and as the other one where they are nothing in it; a comma before an exponent is a slip where it begins no fraction. */
export function numberIn(typed: string, locale: string): string | undefined {
  const text = typed.trim();
  const [grouped, first = "", sign, more = "", fraction] = GROUPED.exec(text) ?? [];
  // One sign before three digits begins a fraction if it does so in the language.
  if (grouped !== undefined && !(sign === signOf(locale) && more.length === 3 && fraction === undefined)) {
    return first + more.replace(/[.,]/g, "") + (fraction === undefined ? "" : `.${fraction}`);
  }
  const plain = text.replace(FRACTION, (_, minus: string, whole: string, begins: string, rest: string, exponent = "") =>
    exponent !== "" && begins === "," && signOf(locale) !== "," ? "" : `${minus}${whole || "0"}.${rest}${exponent}`,
  );
  return NUMBER.test(plain) ? plain : undefined;
}

/** Whether somebody else would read another number: the signs are another language's, or the only one is a thousand here and a fraction there. */
export function isUnclear(typed: string, locale: string): boolean {
  const own = signOf(locale);
  const [grouped, , sign, more = "", fraction] = GROUPED.exec(typed.trim().replace(/e.*/i, "")) ?? [];
  return grouped === undefined ? typed.includes(own === "," ? "." : ",") : sign === own || (more.length === 3 && fraction === undefined);
}

/** A number as people write it in the language. */
export function numberFor(number: string, locale: string): string {
  return number.replace(".", signOf(locale));
}

/** What begins a fraction. */
function signOf(locale: string): string {
  return (1.5).toLocaleString(locale).charAt(1) === "," ? "," : ".";
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
