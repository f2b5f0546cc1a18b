import { useEffect, useLayoutEffect } from "react";

/** A layout effect. A server draws nothing, and React 18 warns of one there. */
export const useBeforePaint = typeof document === "undefined" ? useEffect : useLayoutEffect;
