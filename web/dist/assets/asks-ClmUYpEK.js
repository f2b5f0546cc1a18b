import{E as r,F as s}from"./index-DPS6XFLV.js";function n({interrupts:a},o){const[t]=a;return t?r(t.interrupt,s(t.toolCall),o):""}export{n as a};
