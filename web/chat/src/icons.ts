// The page's icons, drawn on a grid of 24 with a line of 2. Each is told by its paths, so that all of them weigh less than a picture.

export const ICONS = {
  again: "M4 12a8 8 0 1 1 2.5 5.8M4 19v-4.5h4.5",
  back: "M19 12H5M11 6l-6 6 6 6",
  bell: "M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15zM10 21h4",
  check: "m5 12.5 4.5 4.5L19 7.5",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  pen: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
} as const;

export type IconName = keyof typeof ICONS;
