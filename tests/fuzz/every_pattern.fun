// Every word of the language once.
size n = 24
param m in 1 .. 4 | 6 | 12
param k
param v in 1 | 2
limit threads = 16
limit buffer = 4096
limit local = 512
limit private = 64
require small: m * v <= 2 * min(n, 12) - 1
user f(float, float): float
user g(vector(float, 2)): float
input x: [float]n
input y: [float](n div 2 + n % 5)
input a: float
input z: [(float, int)]4
def half = n / 2
def twice(h, e) = h(h(e))
def pairs(p, (q, r)) = f(p, q) * r
kernel first: [float]half = map@A(e -> twice(u -> u + a, e) - 0.5f, y |> map(id) |> pad(0, -4, 0.0))
kernel second =
  mapGlb(1, (r, s) -> let (b, c) = (r, s) in toGlobal(max(b, c)), zip(slide(1, 1, x) |> join, x))
kernel third = mapWrg(0, part ->
  let copy = toLocal(mapLcl(0, id, part)) in
  mapLcl(0, e -> toGlobal(id(reduceSeq(toPrivate(id(0.0)), (s, w) -> s + dot(w, w), e))),
         split(1, asVector(v, reorder(1, copy)))),
  split(m, join(transpose(split(k, x)))))
kernel fourth = mapSeq(row -> mapSeq(id, row), slideStrict(4, 2, asScalar(asVector(2, x))))
kernel fifth = map(e -> g(e), asVector(2, x))
kernel sixth = map((p, i) -> pairs(-p, (p, reduce(toGlobal(p * 1), (s, t) -> s + t, fill(3, 0.0)))), z)
