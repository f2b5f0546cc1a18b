import{E as r,F as s}from"./index-BN7ZChWh.js";function n({interrupts:a},o){const[t]=a;return t?r(t.interrupt,s(t.toolCall),o):""}export{n as a};
