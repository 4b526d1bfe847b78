// SPDX-License-Identifier: MIT
#include "tests/functional/random_program.h"

#include <string>
#include <utility>
#include <vector>

namespace exh::tests {
namespace {

/// An expression that is a view, and its lengths.
struct View {
  std::string text;
  std::vector<int> lengths;
  std::size_t rank() const { return lengths.size(); }
};

class Writer {
 public:
  explicit Writer(Random& random) : random_(random) {}

  std::string Program() {
    View input{"x", {}};
    for (std::size_t i = 0, rank = 2 + random_.Below(2); i < rank; ++i) {
      input.lengths.push_back(static_cast<int>(2 + random_.Below(5)));
    }
    std::string type = "float";
    for (std::size_t i = input.rank(); i-- > 0;) {
      type = "[" + type + "]" + std::to_string(input.lengths[i]);
    }
    return "input x: " + type + "\nkernel y = " + Written(Viewed(input), "toGlobal", 3) + "\n";
  }

 private:
  bool Flip(std::size_t in) { return random_.Below(in) == 0; }
  std::string Name() { return "v" + std::to_string(++names_); }

  /// Some views of it, one after the other.
  View Viewed(View view) {
    while (view.rank() > 0 && !Flip(3)) view = OneMore(std::move(view));
    return view;
  }

  View OneMore(View view) {
    const int n = view.lengths[0];
    switch (random_.Below(8)) {
      case 0:
        for (int part = n - 1; part > 1; --part) {
          if (n % part != 0 || view.rank() > 3) continue;
          view.text = "split(" + std::to_string(part) + ", " + view.text + ")";
          view.lengths[0] = part;
          view.lengths.insert(view.lengths.begin(), n / part);
          break;
        }
        return view;
      case 1:
        if (view.rank() < 2) return view;
        view.text = "join(" + view.text + ")";
        view.lengths[1] *= n;
        view.lengths.erase(view.lengths.begin());
        return view;
      case 2:
        if (view.rank() < 2) return view;
        view.text = "transpose(" + view.text + ")";
        std::swap(view.lengths[0], view.lengths[1]);
        return view;
      case 3:
        if (n < 3 || view.rank() > 2) return view;
        view.text = "slide(2, 1, " + view.text + ")";
        view.lengths[0] = 2;
        view.lengths.insert(view.lengths.begin(), n - 1);
        return view;
      case 4:
        // What is put around an array of arrays would be an array.
        if (view.rank() != 1) return view;
        view.text = "pad(1, 1, 0.25, " + view.text + ")";
        view.lengths[0] += 2;
        return view;
      case 5:
        for (int stride = n - 1; stride > 1; --stride) {
          if (n % stride != 0) continue;
          view.text = "reorder(" + std::to_string(stride) + ", " + view.text + ")";
          break;
        }
        return view;
      default: {
        if (view.rank() < 2) return view;
        const std::string name = Name();
        View inner = OneMore({name, {view.lengths.begin() + 1, view.lengths.end()}});
        if (inner.text == name) return view;
        view.text = "map(" + name + " -> " + inner.text + ", " + view.text + ")";
        inner.lengths.insert(inner.lengths.begin(), n);
        view.lengths = std::move(inner.lengths);
        return view;
      }
    }
  }

  std::string Scalar(const std::string& value) {
    switch (random_.Below(4)) {
      case 0:
        return "id(" + value + ")";
      case 1:
        return value + " * 0.5 + 1.0";
      case 2:
        return "max(" + value + ", 0.125)";
      default:
        return value + " - " + value + " * " + value;
    }
  }

  /// All of it, calculated to the memory that `to` says.
  std::string Written(const View& view, const std::string& to, int deep) {
    if (view.rank() == 0) return to + "(" + Scalar(view.text) + ")";
    if (deep > 0 && view.rank() <= 3 && Flip(3)) {
      static const char* const kMemories[] = {"toLocal", "toPrivate", "toGlobal"};
      const std::string name = Name();
      const std::string copy = Written(view, kMemories[random_.Below(3)], 0);
      const View copied{name, view.lengths};
      return "(let " + name + " = " + copy + " in " + Written(Viewed(copied), to, deep - 1) + ")";
    }
    if (view.rank() == 1 && deep > 0 && Flip(2)) {
      const std::string sum = Name(), element = Name();
      return to + "(id(reduce(toPrivate(id(0.5)), (" + sum + ", " + element + ") -> " + sum +
             " + " + element + ", " + view.text + ")))";
    }
    const int n = view.lengths[0];
    if (view.rank() == 1 && Flip(4)) {
      const std::string a = Name(), b = Name();
      const std::string other = n % 2 == 0 ? "reorder(2, " + view.text + ")" : view.text;
      return "map((" + a + ", " + b + ") -> " + to + "(" + a + " * " + b + " + 0.5), zip(" +
             view.text + ", " + other + "))";
    }
    if (view.rank() == 1 && n % 2 == 0 && Flip(4)) {
      const std::string vector = Name();
      return "asScalar(map(" + vector + " -> " + to + "(" + vector + " * " + vector +
             "), asVector(2, " + view.text + ")))";
    }
    const std::string name = Name();
    const View element{name, {view.lengths.begin() + 1, view.lengths.end()}};
    const View seen = deep > 0 && Flip(2) ? Viewed(element) : element;
    return "map(" + name + " -> " + Written(seen, to, deep) + ", " + view.text + ")";
  }

  Random& random_;
  int names_ = 0;
};

}  // namespace

std::string RandomProgram(Random& random) {
  return Writer(random).Program();
}

}  // namespace exh::tests
