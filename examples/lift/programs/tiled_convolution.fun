// A direct convolution in tiles: a tile of the image, with what its windows read around it, is
// copied to local memory; kappa kernels are applied to sigma windows of it at once. Whatever the
// parameters are, the result is the image.
size channels = 64
size side = 56        // of the image
size kernels = 64
size window = 3
size border = 1       // zeros around the image

limit private = 1024  // 256 sums of a thread
limit local = 49152

param theta in window .. side + 2 * border  // side of a tile, with what is read around it
param kappa                                 // kernels at once
param sigma                                 // windows at once

input image: [[[float]channels]side]side
input weights: [[[[float]channels]window]window]kernels

def step = theta - window + 1
def pad2(x) =
  pad(border, border, 0.0, map(row -> pad(border, border, 0.0, row), x))
def slide2(x) =
  map(transpose, slide(window, 1, map(row -> slide(window, 1, row), x)))
def tiles(x) =
  map(transpose, slideStrict(theta, step, map(row -> slideStrict(theta, step, row), x)))
def flat(w) = join(join(w))

def sums(windows, of_kernels) =
  reduce(toPrivate(map@zeros(z -> map@zero(id, z), fill(sigma, fill(kappa, 0.0)))),
         (so_far, (xs, ws)) ->
           map@by_window((row, x) -> map@by_kernel((sum, w) -> sum + x * w, zip(row, ws)),
                         zip(so_far, xs)),
         zip(transpose(map(flat, windows)), transpose(map(flat, of_kernels))))

// Of a tile: groups of kernels, parts of its windows, windows, kernels.
def tile_of(x) = split(theta - window + 1, map(join, transpose(map(join, x))))
def image_of(x) = join(map(row -> map(join, transpose(map(tile_of, row))), x))

kernel out: [[[float]kernels](side + 2 * border - window + 1)](side + 2 * border - window + 1) =
  image_of(
    map@tile_rows(row ->
      map@tile_columns(tile ->
          let local = toLocal(map@copy_rows(r -> map@copy_columns(p -> map@copy_channels(id, p), r),
                                            tile)) in
          map@groups(of_kernels ->
              map@parts(windows ->
                  toGlobal(map@of_windows(s -> map@of_kernels(id, s), sums(windows, of_kernels))),
                split(sigma, join(slide2(local)))),
            split(kappa, weights)),
        row),
      tiles(pad2(image))))
