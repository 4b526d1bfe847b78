// SPDX-License-Identifier: MIT
#include "functional/code/storage.h"

#include <utility>

#include "base/check.h"

namespace exh::functional {
namespace {

Index TakeIndex(Path& path) {
  EXH_CHECK(!path.empty() && path.back().item < 0);
  Index index = std::move(path.back().index);
  path.pop_back();
  return index;
}

void Put(Path& path, Index index) {
  path.push_back({std::move(index), -1});
}

void AddScalars(const DataType& type, const Numbers& numbers, ScalarShape shape,
                std::vector<ScalarShape>& all) {
  switch (type.kind) {
    case DataType::Kind::kScalar:
      shape.scalar = type.scalar;
      all.push_back(std::move(shape));
      break;
    case DataType::Kind::kVector:
      shape.scalar = type.scalar;
      shape.extents.push_back(numbers(type.length));
      all.push_back(std::move(shape));
      break;
    case DataType::Kind::kArray:
      shape.extents.push_back(numbers(type.length));
      AddScalars(*type.items[0], numbers, std::move(shape), all);
      break;
    case DataType::Kind::kTuple:
      for (std::size_t i = 0; i < type.items.size(); ++i) {
        ScalarShape item = shape;
        item.items.push_back(static_cast<int>(i));
        AddScalars(*type.items[i], numbers, std::move(item), all);
      }
      break;
  }
}

}  // namespace

Target TargetOf(const StoragePtr& storage) {
  return [storage](const Path& path) {
    std::vector<int> items;
    std::vector<const Index*> indices;
    for (auto step = path.rbegin(); step != path.rend(); ++step) {
      if (step->item >= 0) {
        items.push_back(step->item);
      } else {
        indices.push_back(&step->index);
      }
    }
    for (const Leaf& leaf : storage->leaves) {
      if (leaf.items != items) continue;
      EXH_CHECK(indices.size() == leaf.strides.size());
      Index address = leaf.first;
      for (std::size_t i = 0; i < indices.size(); ++i) {
        address = address + *indices[i] * leaf.strides[i];
      }
      return Place{&leaf, std::move(address), storage};
    }
    EXH_CHECK(false);
    return Place{};
  };
}

Target ElementOf(Target target, Index index) {
  return [target = std::move(target), index = std::move(index)](const Path& path) {
    Path whole = path;
    Put(whole, index);
    return target(whole);
  };
}

Target ItemOf(Target target, int item) {
  return [target = std::move(target), item](const Path& path) {
    Path whole = path;
    whole.push_back({{}, item});
    return target(whole);
  };
}

std::vector<ScalarShape> ScalarsOf(const DataType& type, const Numbers& numbers) {
  std::vector<ScalarShape> all;
  AddScalars(type, numbers, {}, all);
  return all;
}

Path PathIntoInput(const Node& view, Path path, const Numbers& numbers) {
  const std::string& name = view.name;
  const DataType& input = *view.inputs[0]->type;
  if (name == "split") {
    const Index part = TakeIndex(path), element = TakeIndex(path);
    Put(path, part * numbers(view.type->items[0]->length) + element);
  } else if (name == "join") {
    const Index index = TakeIndex(path);
    const std::int64_t inner = numbers(input.items[0]->length);
    Put(path, index.Mod(inner));
    Put(path, index.Div(inner));
  } else if (name == "transpose") {
    Index outer = TakeIndex(path), inner = TakeIndex(path);
    Put(path, std::move(outer));
    Put(path, std::move(inner));
  } else if (name == "slide") {
    const Index window = TakeIndex(path), element = TakeIndex(path);
    Put(path, window * numbers(view.arguments[1]) + element);
  } else if (name == "reorder") {
    const Index index = TakeIndex(path);
    const std::int64_t stride = numbers(view.arguments[0]);
    const std::int64_t rounds = numbers(view.type->length) / stride;
    Put(path, index.Div(rounds) + index.Mod(rounds) * stride);
  } else if (name == "asVector") {
    const Index vector = TakeIndex(path), lane = TakeIndex(path);
    Put(path, vector * numbers(view.type->items[0]->length) + lane);
  } else if (name == "asScalar") {
    const Index index = TakeIndex(path);
    const std::int64_t lanes = numbers(input.items[0]->length);
    Put(path, index.Mod(lanes));
    Put(path, index.Div(lanes));
  } else {
    EXH_CHECK(false);
  }
  return path;
}

Target InverseOf(const Node& view, std::size_t input, Target target, const Numbers& numbers) {
  const std::string& name = view.name;
  // An element of the input at `path` is one of the view at what this makes of it.
  std::function<void(Path&)> outward;
  if (name == "zip") {
    const int item = static_cast<int>(input);
    outward = [item](Path& path) {
      Index index = TakeIndex(path);
      path.push_back({{}, item});
      Put(path, std::move(index));
    };
  } else if (name == "split" || name == "asVector") {
    const std::int64_t size = numbers(view.type->items[0]->length);
    outward = [size](Path& path) {
      const Index index = TakeIndex(path);
      Put(path, index.Mod(size));
      Put(path, index.Div(size));
    };
  } else if (name == "join" || name == "asScalar") {
    const std::int64_t inner = numbers(view.inputs[0]->type->items[0]->length);
    outward = [inner](Path& path) {
      const Index outer = TakeIndex(path), index = TakeIndex(path);
      Put(path, outer * inner + index);
    };
  } else if (name == "transpose") {
    outward = [](Path& path) {
      Index outer = TakeIndex(path), inner = TakeIndex(path);
      Put(path, std::move(outer));
      Put(path, std::move(inner));
    };
  } else if (name == "reorder") {
    const std::int64_t stride = numbers(view.arguments[0]);
    const std::int64_t rounds = numbers(view.type->length) / stride;
    outward = [stride, rounds](Path& path) {
      const Index index = TakeIndex(path);
      Put(path, index.Mod(stride) * rounds + index.Div(stride));
    };
  } else {
    return nullptr;
  }
  return [target = std::move(target), outward = std::move(outward)](const Path& path) {
    Path whole = path;
    outward(whole);
    return target(whole);
  };
}

}  // namespace exh::functional
