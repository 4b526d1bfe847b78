// SPDX-License-Identifier: MIT
//
// C++ with colours: comments, strings, numbers, words of the language. As pieces, which go into the
// page as text.

const kWords = new Set(('alignas auto bool break case char const constexpr continue default do double else enum extern false float for if '
  + 'inline int long namespace new nullptr operator private public return short signed sizeof static static_assert static_cast reinterpret_cast '
  + 'struct switch template this true typedef typename union unsigned using void volatile while asm __restrict__ __restrict __global__ __device__ '
  + '__shared__ __syncthreads __launch_bounds__ __constant__ __forceinline__').split(' '));

const kPieces = /(\/\/[^\n]*|\/\*[\s\S]*?\*\/)|("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(^[ \t]*#[^\n]*)|(\b\d[\w.']*)|([A-Za-z_]\w*)/gm;

/** [[kind, text] …] with kind '' for the rest; the texts together are the source. */
export function pieces(source) {
  const found = [];
  let end = 0;
  const rest = (until) => {
    if (until > end) found.push(['', source.slice(end, until)]);
  };
  for (const match of source.matchAll(kPieces)) {
    const [text, comment, string, directive, number, word] = match;
    const kind = comment ? 'comment' : string ? 'string' : directive ? 'directive' : number ? 'number' : kWords.has(word) ? 'word' : '';
    if (!kind) continue;
    rest(match.index);
    found.push([kind, text]);
    end = match.index + text.length;
  }
  rest(source.length);
  return found;
}
