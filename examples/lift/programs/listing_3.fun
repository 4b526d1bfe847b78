// Listing 3 of N. Mogers et al., CC 2022: X * y + z, in tiles of s0, and for the product in tiles of
// s1 of those.
size n = 4096
param s0
param s1
input x: [float]n
input y: float
input z: float

kernel result: [float]n =
  x |> split(s0)
    |> map@A(tile -> tile |> split(s1)
                          |> map@C(part -> map@D(e -> e * y, part))
                          |> join
                          |> map@B(e -> e + z))
    |> join
