import { createHmac, timingSafeEqual } from "node:crypto";

export function verified(headers, body, secret) {
  const id = headers["webhook-id"], at = headers["webhook-timestamp"];
  if (Math.abs(Date.now() / 1000 - Number(at)) > 300) return false;
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const want = createHmac("sha256", key).update(`${id}.${at}.${body}`).digest();
  return headers["webhook-signature"].split(" ").some((each) => {
    const [version, text] = each.split(",");
    const got = Buffer.from(text ?? "", "base64");
    return version === "v1" && got.length === want.length && timingSafeEqual(got, want);
  });
}

const { headers, body, secrets } = JSON.parse(process.argv[2]);
console.log(JSON.stringify(secrets.map((secret) => verified(headers, body, secret))));
