// SPDX-License-Identifier: MIT
//
// Charts: what of ECharts the page uses, and charts that follow their size and the theme.
import * as echarts from 'echarts/core';
import { BarChart, BoxplotChart, CustomChart, LineChart, ParallelChart, ScatterChart, TreeChart }
  from 'echarts/charts';
import { AriaComponent, BrushComponent, DataZoomComponent, GridComponent, LegendComponent,
  MarkLineComponent, ParallelComponent, TooltipComponent, VisualMapComponent }
  from 'echarts/components';
import { CanvasRenderer, SVGRenderer } from 'echarts/renderers';

echarts.use([AriaComponent, BarChart, BoxplotChart, BrushComponent, CanvasRenderer, CustomChart,
  DataZoomComponent, GridComponent, LegendComponent, LineChart, MarkLineComponent, ParallelChart,
  ParallelComponent, SVGRenderer, ScatterChart, TooltipComponent, TreeChart, VisualMapComponent]);

export { echarts };

/** Lines and letters of a theme. */
export function inkOf(isDark) {
  return isDark
    ? { isDark, text: '#e6e6e6', faint: '#9a9a9a', line: '#4a4a4a', ground: '#1b1b1d' }
    : { isDark, text: '#1c1c1c', faint: '#666666', line: '#d0d0d0', ground: '#ffffff' };
}

/** Horizontal lines whose labels stand apart: of two that are near each other on a logarithmic axis
 * the label of the lower one stands below it. `side`: 'insideStart' or 'insideEnd'. */
export function labelsApart(lines, side) {
  const kNear = 1.25;
  const isBelow = new Map();
  let above;  // The line above, where its label is on top.
  for (const line of [...lines].sort((a, b) => b.yAxis - a.yAxis)) {
    isBelow.set(line, above !== undefined && above / line.yAxis < kNear);
    above = isBelow.get(line) ? undefined : line.yAxis;
  }
  const place = (line) => `${side}${isBelow.get(line) ? 'Bottom' : 'Top'}`;
  return lines.map((line) => ({ ...line, label: { ...line.label, position: place(line) } }));
}

/** What all charts have in common. `option` wins. */
export function withInk(option, ink) {
  const axis = (a) => ({
    ...a,
    axisLine: { lineStyle: { color: ink.faint }, ...a.axisLine },
    axisLabel: { color: ink.text, ...a.axisLabel },
    nameTextStyle: { color: ink.text, ...a.nameTextStyle },
    splitLine: { lineStyle: { color: ink.line, opacity: 0.6 }, ...a.splitLine },
  });
  const axes = (list) => (list === undefined ? undefined : [list].flat().map(axis));
  return {
    animation: false,
    aria: { enabled: true },
    textStyle: { fontFamily: 'system-ui, sans-serif', color: ink.text },
    ...option,
    xAxis: axes(option.xAxis),
    yAxis: axes(option.yAxis),
    legend: option.legend && { textStyle: { color: ink.text }, type: 'scroll', top: 0, ...option.legend },
    tooltip: option.tooltip && {
      backgroundColor: ink.ground, borderColor: ink.line, textStyle: { color: ink.text },
      confine: true, ...option.tooltip,
      renderMode: 'richText', // Text of a log never becomes markup.
    },
  };
}

/** A chart in `host`. `option()` is asked again when the theme changes. */
export class Chart {
  constructor(host, height, option) {
    this.host = host;
    host.classList.add('chart');
    host.style.height = `${height}px`;
    this.option = option;
    this.chart = echarts.init(host, null, { renderer: 'canvas' });
    this.observer = new ResizeObserver(() => this.chart.resize());
    this.observer.observe(host);
  }

  draw(isDark) {
    this.chart.setOption(withInk(this.option(inkOf(isDark)), inkOf(isDark)), { notMerge: true });
    return this;
  }

  /** Draws what is new of a chart whose data have grown. What a person has zoomed into stays. */
  update(isDark, height) {
    const wanted = `${height}px`;
    if (this.host.style.height !== wanted) this.host.style.height = wanted;
    this.chart.setOption(withInk(this.option(inkOf(isDark)), inkOf(isDark)), { lazyUpdate: false });
  }

  dispose() {
    this.observer.disconnect();
    this.chart.dispose();
  }
}

const kMany = 2000;

/**
 * Size of the marks of a series of so many. Small ones of a large series are squares, drawn one by one; larger ones
 * would be one outline of all, which takes a browser minutes to fill.
 */
export function marksFor(count, symbolSize) {
  return count > kMany ? { large: true, largeThreshold: kMany, symbolSize: 3 } : { large: false, symbolSize };
}
