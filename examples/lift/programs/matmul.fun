// A matrix product: rows of the result, and in each a column after the other.
size m = 512
size n = 512
size k = 512
input a: [[float]k]m
input b: [[float]n]k

def product(row, column) =
  reduce(toPrivate(id(0.0)), (sum, (x, y)) -> sum + x * y, zip(row, column))

kernel c: [[float]n]m =
  map@rows(row -> map@columns(column -> toGlobal(id(product(row, column))), transpose(b)), a)
