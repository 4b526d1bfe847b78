// Direct convolution of one layer, as N. Mogers et al. write it in Automatic Generation of
// Specialized Direct Convolutions for Mobile GPUs (GPGPU 2020), Listing 4, with the two kernels
// around the sums and their padding. The parameters are those of its Table 2. Sizes: VGG-16, layer 7.
size channels = 128
size side = 112      // of the image
size kernels = 128
size window = 3      // side of a window, and of a kernel
size stride = 1
size border = 1      // zeros that the layer asks for, on each side

limit threads = 384
limit buffer = 1073741824
limit private = 4000 // 1000 accumulators of a thread

def padded_side = side + 2 * border

// rho: zeros to the right and at the bottom, so that tiles fit.
param rho in 0 .. padded_side - 1
// theta: side of a tile of the input.
param theta in window .. 2 * padded_side - 1
param kappa          // kernels a work group
param sigma          // windows a thread
param omega          // elements that a thread sums up
param v in 1 | 4     // elements of a vector

def window_size = channels * window * window
def padded = padded_side + rho

def tiling_step = theta - (window - stride)
// Windows of the next tile go on where those of this one end.
require whole_steps: tiling_step % stride == 0
def tiles_a_side = (padded - theta) / tiling_step + 1
def windows_a_side = (theta - window) div stride + 1

def map2(f, x) = map(row -> map(f, row), x)
def slide2(n, step, x) =
  map(transpose, slide(n, step, map(row -> slide(n, step, row), x)))
def slideStrict2(n, step, x) =
  map(transpose, slideStrict(n, step, map(row -> slideStrict(n, step, row), x)))
def pad2(before, after, x) = pad(before, after, 0.0, map(row -> pad(before, after, 0.0, row), x))

input weights: [[[[float]channels]window]window]kernels
input bias: [float]kernels
input image: [[[float]channels]side]side

// 1. Zeros around the image.
kernel padded_image =
  mapGlb(1, row -> mapGlb(0, pixel -> mapSeq(id, pixel), row), pad2(border, border + rho, image))

// 2. Partial sums: by tile and group of kernels a work group, by group of windows and chunk a thread.
def chunks(elements) =
  map(chunk -> asVector(v, chunk),
      split(omega, reorder(window_size / omega, join(join(elements)))))
def tiles = join(slideStrict2(theta, tiling_step, padded_image))
def windows_of(tile) = map(chunks, join(slide2(window, stride, tile)))

def sum_chunk(elements, weights_of_group) =
  reduce(
    toPrivate(map2(id, fill(sigma, fill(kappa, 0.0)))),
    (sums, (xs, ws)) ->
      map((sums_of_window, x) ->
            let element = toPrivate(id(x)) in
            map((sum, w) -> sum + dot(element, w), zip(sums_of_window, ws)),
          zip(sums, xs)),
    zip(transpose(elements), transpose(weights_of_group)))

kernel partial_sums =
  mapWrg(1, tile ->
    mapWrg(0, group ->
      mapLcl(1, windows ->
        mapLcl(0, (elements, ws) -> toGlobal(map2(id, sum_chunk(elements, ws))),
          zip(transpose(windows), transpose(group))),
        split(sigma, windows_of(tile))),
      split(kappa, map(chunks, weights))),
    tiles)

// 3. The sums of the chunks.
def by_window(sums) = map(transpose, join(map(transpose, sums)))
kernel sums =
  mapWrg(1, tile ->
    mapWrg(0, (group, biases) ->
      mapLcl(1, of_window ->
        mapLcl(0, (parts, b) -> toGlobal(id(reduce(toPrivate(id(b)), (x, y) -> x + y, parts))),
          zip(of_window, biases)),
        by_window(group)),
      zip(tile, split(kappa, bias))),
    partial_sums)

// 4. One image a kernel, without what only the extra padding made.
def by_kernel(tile) = join(map(transpose, tile))
def image_of(tiles_of_kernel) =
  join(map(row -> map(join, transpose(map(tile -> split(windows_a_side, tile), row))),
           split(tiles_a_side, tiles_of_kernel)))
def crop2(x) = pad(0, -(rho / stride), 0.0, map(row -> pad(0, -(rho / stride), 0.0, row), x))
def out_side = (padded_side - window) div stride + 1
kernel output: [[[float]out_side]out_side]kernels =
  mapGlb(2, tiles_of_kernel ->
    mapGlb(1, row -> mapGlb(0, id, row), crop2(image_of(tiles_of_kernel))),
    transpose(map(by_kernel, sums)))
