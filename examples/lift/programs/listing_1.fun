// Listing 1 of N. Mogers et al., CC 2022: f of a plane goes to local memory, g of that, column by
// column, to the output. Its loops A to E are the maps.
size planes = 16
size rows = 32
size columns = 64
// They stand for any functions.
def f(x) = x * 2.0 + 1.0
def g(x) = x * x
input planes_of_rows: [[[float]columns]rows]planes

kernel output: [[[float]columns]rows]planes =
  map@A(plane ->
          let buffer = toLocal(map@B(row -> map@C(f, row), plane)) in
          transpose(toGlobal(map@D(column -> map@E(g, column), transpose(buffer)))),
        planes_of_rows)
