// The drawings on the covers. Each takes a palette and a source of numbers from 0 to 1
// (the same for the same book, every time) and draws in a square of 200 by 200.

const times = (count, draw) => Array.from({ length: count }, (_, i) => draw(i)).join("");
const line = (d, colour, width = 3) =>
  `<path d="${d}" fill="none" stroke="${colour}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"/>`;
const shape = (d, colour) => `<path d="${d}" fill="${colour}"/>`;
const disc = (x, y, r, colour) => `<circle cx="${x}" cy="${y}" r="${r}" fill="${colour}"/>`;
const ring = (x, y, r, colour, width = 3) =>
  `<circle cx="${x}" cy="${y}" r="${r}" fill="none" stroke="${colour}" stroke-width="${width}"/>`;
const box = (x, y, w, h, colour) => `<rect x="${x}" y="${y}" width="${w}" height="${h}" fill="${colour}"/>`;

const wave = (y, height, length, shift) =>
  `M${-length - shift} ${y}` + times(Math.ceil(240 / length) + 2, () =>
    `q${length / 4} ${-height} ${length / 2} 0t${length / 2} 0`);

export const MOTIFS = {
  waves: (c, random) =>
    disc(50 + random() * 100, 56, 26, c.two) +
    times(7, (i) => shape(`${wave(92 + i * 17, 13, 80, (i % 2) * 40)}V220H-80Z`, i % 2 ? c.one : c.ground) +
      line(wave(92 + i * 17, 13, 80, (i % 2) * 40), c.ink, 1.5)),

  arcs: (c) =>
    times(6, (i) => disc(100, 200, 180 - i * 30, [c.one, c.two, c.ground][i % 3])) +
    box(94, 118, 12, 82, c.paper),

  moon: (c, random) =>
    times(26, () => disc(random() * 200, random() * 130, 0.8 + random() * 1.6, c.one)) +
    disc(128, 66, 36, c.two) + disc(112, 58, 32, c.ground) +
    times(4, (i) => line(wave(150 + i * 13, 6, 50, i * 18), c.one, 2)) +
    shape("M58 142h52l-9 15H67Z", c.paper) + line("M84 142v-30", c.paper, 2.5),

  envelope: (c) =>
    times(3, (i) => `<g transform="rotate(${-14 + i * 12} 100 110) translate(0 ${i * 16 - 10})">` +
      `<rect x="38" y="66" width="124" height="78" fill="${[c.one, c.two, c.paper][i]}" stroke="${c.ink}" stroke-width="2"/>` +
      `${line("M38 66l62 46 62-46", i ? c.ink : c.ground, 2)}</g>`) + disc(112, 138, 9, "#a8382c"),

  hills: (c) =>
    disc(142, 58, 24, c.paper) +
    shape("M0 120q50-60 104-14t96-22v130H0Z", c.one) +
    shape("M0 150q60-40 110 0t90-16v80H0Z", c.two) +
    times(5, (i) => line(`M${-10} ${170 + i * 9}q60-18 110 0t110-6`, c.ground, 2)) +
    shape("M128 104v-16l9-9 9 9v16Z", c.ink) + box(135, 66, 4, 16, c.ink),

  rain: (c, random) =>
    shape("M46 84a24 24 0 0 1 12-45 34 34 0 0 1 64-4 28 28 0 0 1 26 49Z", c.one) +
    times(34, (i) => {
      const x = 20 + (i % 9) * 20 + random() * 6;
      const y = 102 + Math.floor(i / 9) * 26 + random() * 8;
      return line(`M${x} ${y}l-5 15`, i % 5 ? c.two : c.one, 2.5);
    }),

  commas: (c, random) =>
    times(20, (i) => {
      const x = 30 + (i % 5) * 36;
      const y = 34 + Math.floor(i / 5) * 44;
      const colour = random() > 0.72 ? c.one : c.two;
      return `<g transform="rotate(${random() * 24 - 12} ${x} ${y})">${disc(x, y, 9, colour)}` +
        `${shape(`M${x + 9} ${y}q2 16-14 23q8-10 5-18Z`, colour)}</g>`;
    }),

  rays: (c) =>
    times(24, (i) => {
      const angle = (i * Math.PI) / 12;
      const far = i % 2 ? 82 : 110;
      return line(`M${100 + Math.cos(angle) * 46} ${100 + Math.sin(angle) * 46}L${100 + Math.cos(angle) * far} ${100 + Math.sin(angle) * far}`,
        i % 2 ? c.two : c.one, 3);
    }) + disc(100, 96, 30, c.one) + shape("M88 122h24v12h-24Z", c.two) + line("M92 139h16", c.two, 3),

  windows: (c, random) =>
    box(24, 40, 152, 160, c.two) + shape("M14 40h172l-14-16H28Z", c.paper) +
    times(20, (i) => box(36 + (i % 5) * 27, 54 + Math.floor(i / 5) * 32, 19, 24, random() > 0.6 ? c.one : c.ground)) +
    box(0, 182, 200, 18, c.ink),

  twigs: (c, random) =>
    times(9, (i) => {
      const x = 10 + i * 22;
      const lean = random() * 16 - 8;
      return line(`M${x} 205Q${x + lean} 140 ${x + lean * 2} ${40 + random() * 40}`, c.one, 2.6) +
        times(4, (k) => {
          const y = 90 + k * 24;
          const side = k % 2 ? 1 : -1;
          return line(`M${x + lean} ${y}l${side * 14} -16`, c.one, 1.6) +
            (random() > 0.45 ? disc(x + lean + side * 15, y - 18, 3.6, c.two) : "");
        });
    }),

  leaf: (c) =>
    `<g transform="rotate(24 100 100)">${shape("M100 8c62 50 62 120 0 176c-62-56-62-126 0-176Z", c.one)}` +
    line("M100 20v176", c.two, 3) +
    times(6, (i) => line(`M100 ${56 + i * 21}l${34 - Math.abs(i - 2) * 5}-18M100 ${56 + i * 21}l${-34 + Math.abs(i - 2) * 5}-18`, c.two, 2)) + "</g>",

  birds: (c, random) =>
    line("M152 205V92M152 150l-44-44M152 128l34-40M152 104l-18-40M126 124l-28 2M168 108l2-34M143 84l16-26", c.one, 3.5) +
    [[106, 100], [134, 58], [186, 84]].map(([x, y]) =>
      shape(`M${x - 13} ${y}q13 16 26 0q-13-6-26 0Z`, c.two) + line(`M${x - 15} ${y - 2}l30 4M${x - 14} ${y + 3}l28-5`, c.two, 1.5)).join("") +
    times(8, (i) => {
      const x = 20 + random() * 66;
      const y = 22 + i * 20;
      const size = 6 + random() * 7;
      return shape(`M${x - size * 2} ${y - size}q${size * 1.4} 0 ${size * 2} ${size * 0.8}q${size * 0.6}-${size} ${size * 2}-${size * 0.9}q-${size} ${size * 0.6}-${size * 1.7} ${size * 1.6}q-${size * 1.1}-${size * 0.9}-${size * 2.3}-${size * 1.5}Z`, c.one);
    }),

  contours: (c, random) => {
    const x = 70 + random() * 50;
    const y = 84 + random() * 30;
    return times(11, (i) => {
      const r = 12 + i * 15;
      return `<ellipse cx="${x + i * 3}" cy="${y + i * 2}" rx="${r * 1.25}" ry="${r * 0.8}" transform="rotate(${-20 + i * 4} ${x} ${y})" fill="none" stroke="${i % 4 === 3 ? c.two : c.one}" stroke-width="${i % 4 === 3 ? 3 : 1.6}"/>`;
    }) + disc(x, y, 4, c.two);
  },

  rope: (c) =>
    times(3, (row) => `<g transform="translate(0 ${34 + row * 56})">` +
      times(13, (i) => `<g transform="translate(${-20 + i * 19} 0)">${shape("M0 30q4-26 24-30q8 6 4 14q-20 4-22 26Z", i % 2 ? c.one : c.two)}</g>`) + "</g>"),

  clock: (c) =>
    disc(100, 100, 76, c.two) + ring(100, 100, 76, c.one, 5) +
    times(12, (i) => `<g transform="rotate(${i * 30} 100 100)">${box(98, 32, 4, i % 3 ? 9 : 16, c.one)}</g>`) +
    line("M100 100V52", c.one, 5) + line("M100 100l34 24", "#a8382c", 4) + disc(100, 100, 6, c.one),

  rails: (c) =>
    shape("M0 92l34-40 26 26 38-54 44 60 22-22 36 34v104H0Z", c.two) +
    shape("M98 24l14 20-8 8-8-4-8 8-6-10Z", c.paper) +
    times(8, (i) => line(`M${86 - i * 9} ${108 + i * i * 1.6 + i * 2}H${114 + i * 9}`, c.one, 2 + i * 0.7)) +
    line("M94 100L30 210M106 100l64 110", c.paper, 4),

  boats: (c) =>
    disc(150, 46, 16, c.two) +
    times(3, (i) => {
      const x = 34 + i * 56;
      const y = 118 + (i % 2) * 16;
      return shape(`M${x} ${y - 66}v56h-26Z`, c.one) + shape(`M${x + 4} ${y - 56}v46h20Z`, i === 1 ? c.two : c.paper) +
        shape(`M${x - 26} ${y - 5}h54l-10 15h-34Z`, c.paper);
    }) + times(5, (i) => line(wave(146 + i * 12, 5, 40, i * 14), c.one, 2)),

  route: (c) =>
    shape("M0 66l40-38 34 30 46-50 80 70v122H0Z", c.two) + shape("M0 130q60-30 110 0t90-10v80H0Z", c.one) +
    `<path d="M14 190C40 140 90 186 104 146S60 110 92 92s40 10 54-28" fill="none" stroke="${c.paper}" stroke-width="4" stroke-dasharray="1 9" stroke-linecap="round"/>` +
    line("M146 62V34", c.paper, 3) + shape("M147 34h22l-6 7 6 7h-22Z", c.paper),

  loaf: (c) =>
    times(3, (i) => line(`M${70 + i * 30} 66q-10-12 0-22t0-22`, c.two, 3)) +
    shape("M20 150c-10-44 34-66 80-66s90 22 80 66c-2 12-12 16-24 16H44c-12 0-22-4-24-16Z", c.one) +
    times(4, (i) => line(`M${52 + i * 30} 142q2-28 22-40`, c.ground, 5)) + line("M8 182h184", c.two, 4),

  rows: (c) =>
    box(0, 0, 200, 70, c.one) + disc(100, 70, 30, c.two) + box(0, 70, 200, 130, c.ground) +
    times(9, (i) => line(`M100 70L${-140 + i * 60} 210`, c.two, 5)) +
    times(12, (i) => {
      const x = 20 + (i % 4) * 53;
      const y = 106 + Math.floor(i / 4) * 34;
      return shape(`M${x} ${y}q-12-4-10-18q12 2 10 18q-2-14 10-18q2 14-10 18Z`, c.one);
    }),

  bowl: (c) =>
    times(3, (i) => line(`M${72 + i * 28} 84q-12-14 0-27t0-27`, c.one, 4)) +
    shape("M22 104h156c0 48-34 74-78 74s-78-26-78-74Z", c.two) + box(22, 118, 156, 8, c.one) +
    shape("M70 178h60l6 14H64Z", c.two) + line("M150 100l34-56", c.paper, 6),

  pan: (c) =>
    line("M128 128l58 62", c.paper, 15) + disc(88, 88, 66, c.paper) + disc(88, 88, 55, c.ink) +
    shape("M60 70c16-22 52-14 58 8s6 34-12 44s-44 4-52-16s-4-24 6-36Z", c.one) + disc(86, 90, 17, c.two) +
    disc(80, 84, 4, c.paper) + disc(176, 179, 3, c.ground),

  snail: (c) =>
    line("M10 172h180", c.two, 3) + times(9, (i) => line(`M${18 + i * 21} 172v10`, c.two, 3)) +
    shape("M34 168c20 4 96 6 128-2c10-14 10-34 4-48c-6-8-18-4-18 8c0 24-16 34-40 34Z", c.one) +
    disc(88, 116, 48, c.two) + line("M88 116c8-12 24-4 20 10s-30 18-38 0s8-40 32-36s34 34 18 52", c.one, 5) +
    line("M158 112l-6-24M164 112l10-22", c.one, 3) + disc(152, 86, 4, c.one) + disc(175, 88, 4, c.one),

  umbrella: (c, random) =>
    times(18, () => {
      const x = random() * 200;
      const y = random() * 190;
      return line(`M${x} ${y}l-4 11`, c.one, 2);
    }) +
    `<g transform="rotate(-12 100 100)">${shape("M18 106a82 76 0 0 1 164 0q-14-14-27 0q-14-14-28 0q-13-14-27 0q-14-14-27 0q-14-14-28 0q-13-14-27 0Z", c.two)}` +
    line("M100 30v-12M100 104v58c0 20-30 20-28 0", c.ink, 5) + line("M100 32Q76 60 73 104M100 32q24 28 27 72", c.ground, 2) + "</g>",
};
