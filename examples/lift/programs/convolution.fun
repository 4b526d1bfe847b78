// A direct convolution: each window is copied to local memory, and all kernels are applied to it. A
// second copy, of each channel's sums, is kept by a thread.
size channels = 16
size side = 34
size kernels = 32
size window = 3
input image: [[[float]channels]side]side
input weights: [[[[float]channels]window]window]kernels

def slide2(n, step, x) =
  map(transpose, slide(n, step, map(row -> slide(n, step, row), x)))

// For each channel, its sum over the window; zips come from outside, so maps see what they read.
def sums_of(pixels, of_kernel) =
  reduce(toPrivate(map@zeros(id, fill(channels, 0.0))),
         (sums, (pixel, ws)) ->
           map@channels((sum, (x, w)) -> sum + x * w, zip(sums, zip(pixel, ws))),
         zip(pixels, join(of_kernel)))

kernel out =
  map@rows(row ->
    map@columns(w ->
        let pixels = toLocal(map@copy(pixel -> map@copy_channels(id, pixel), join(w))) in
        map@kernels(of_kernel ->
            toGlobal(id(reduce(toPrivate(id(0.0)), (a, b) -> a + b, sums_of(pixels, of_kernel)))),
          weights),
      row),
    slide2(window, 1, image))
