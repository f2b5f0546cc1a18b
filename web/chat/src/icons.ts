// The page's icons, drawn on a grid of 24 with a line of 2. Each is told by its paths, so that all of them weigh less than a picture.

export const ICONS = {
  back: "M19 12H5M11 6l-6 6 6 6",
  bell: "M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15zM10 21h4",
  check: "m5 12.5 4.5 4.5L19 7.5",
  pencil: "M4 20v-4L16 4l4 4L8 20zM13.5 6.5l4 4",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
} as const;

export type IconName = keyof typeof ICONS;
