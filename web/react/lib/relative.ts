const formats = new Map<string, Intl.RelativeTimeFormat>();

/** Times before and after now, in a language. `auto`: "yesterday". `always`: "1 day ago", in short. */
export function relative(locale: string, numeric: "auto" | "always"): Intl.RelativeTimeFormat {
  const key = `${locale} ${numeric}`;
  let format = formats.get(key);
  if (!format) formats.set(key, (format = new Intl.RelativeTimeFormat(locale, { numeric, style: numeric === "auto" ? "long" : "short" })));
  return format;
}
