// SPDX-License-Identifier: MIT
//
// Charts drawn without a browser: as SVG, whose marks are counted.
import { echarts, inkOf, withInk } from '../src/chart.js';

/** The chart as SVG. */
export function svgOf(option, width = 1200, height = 900) {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width, height });
  chart.setOption(withInk(option, inkOf(false)));
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}

/** The number of marks of each series, by its name. ECharts notes in each mark whose it is. */
export function marksOf(option, width, height) {
  const svg = svgOf(option, width, height);
  const marks = new Map(option.series.map((series) => [series.name, 0]));
  const seen = new Set();
  for (const [mark] of svg.matchAll(/<[a-z]+ [^>]*ecmeta_series_index="\d+"[^>]*>/g)) {
    if (!mark.includes('ecmeta_ssr_type="chart"')) continue; // Those of the legend.
    const series = Number(mark.match(/ecmeta_series_index="(\d+)"/)[1]);
    const data = mark.match(/ecmeta_data_index="(\d+)"/);
    if (!data || seen.has(`${series} ${data[1]}`)) continue;
    seen.add(`${series} ${data[1]}`);
    const { name } = option.series[series];
    marks.set(name, marks.get(name) + 1);
  }
  return marks;
}
